import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { episodesJsonl } from '../../../src/bundle/render-files.ts';
import { LATEST_PATH } from '../../../src/history/latest.ts';
import { buildPublication } from '../../../src/history/publication.ts';
import { assessSuite } from '../../../src/job/judge/assess-suite.ts';
import { baselineOf, historyRecordOf } from '../../../src/job/judge/history-record.ts';
import { reportJson } from '../../../src/job/publish/write-report.ts';
import { reportDocumentSchema } from '../../../src/model/report-document.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import type { Measurement } from '../../../src/results/measurement.ts';
import { ROOT } from '../meta/source-files.ts';
import { makePlan } from '../outcome/plan-builder.ts';
import { makeRecord, makeRunFacts } from '../results/record-builder.ts';

const FOLDER = 'docs/schemas';
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const schemas = new Map(
  readdirSync(join(ROOT, FOLDER)).map((file) => {
    const schema = JSON.parse(readFileSync(join(ROOT, FOLDER, file), 'utf8')) as object; // docs.mjs wrote it
    return [file.replace('.schema.json', ''), ajv.compile(schema)] as const;
  }),
);

/** What a validator of another language would say; an empty list when the document is valid. */
function complaints(name: string, document: unknown): readonly string[] {
  const validate = schemas.get(name);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  return validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function measurement(): Measurement {
  const records = Array.from({ length: 20 }, (_, n) =>
    makeRecord(n, n % 5 === 0 ? 'failure' : n === 7 ? 'error' : 'success'),
  );
  const plan = makePlan({
    initStates: records.map(({ initStateId }) => initStateId),
    cells: records.map(({ taskId, initStateId, runIndex, arm }) => ({ taskId, initStateId, runIndex, arm })),
    thresholds: { ...makePlan().thresholds, minSuccessRate: 0.5 },
  });
  const run = makeRunFacts();
  const part = {
    plan,
    planDigest: 'c'.repeat(64),
    run,
    records,
    results: aggregate({ plan, records, run, journal: [] }),
    stopBaseline: null,
    heldOut: null,
  };
  return { ...part, parts: [{ ...part, manifestSha256: 'd'.repeat(64) }], invalid: [] };
}

const measured = measurement();
const suite = assessSuite(measured, null);
const place = {
  branch: 'main',
  commit: null,
  event: 'push',
  pullRequest: null,
  runUrl: null,
  now: '2026-11-29T16:20:00.000Z',
};
const baseline = baselineOf(measured, place, { by: 'push', at: place.now, reason: null });
const history = historyRecordOf(suite, place);

describe('the JSON Schemas', () => {
  it('accept what the code writes', () => {
    expect(complaints('plan', measured.plan)).toEqual([]);
    expect(complaints('run', measured.run)).toEqual([]);
    expect(complaints('results', measured.results)).toEqual([]);
    expect(complaints('baseline-header', baseline.header)).toEqual([]);
    expect(baseline.cells.flatMap((cell) => complaints('baseline-cell', cell))).toEqual([]);
    expect(complaints('history-record', history)).toEqual([]);
    const lines = [...episodesJsonl(measured.records)];
    expect(lines.flatMap((line) => complaints('episode-record', JSON.parse(line)))).toEqual([]);
  });

  it('accept latest.json of the report branch', async () => {
    const records = history === null ? [] : [history];
    const files = await buildPublication({ records, baselines: [baseline], openPulls: null, files: [] }, () =>
      Promise.resolve(null),
    );
    const latest = files.find(({ path }) => path === LATEST_PATH)?.content ?? '';
    expect(complaints('latest', JSON.parse(latest))).toEqual([]);
  });

  it('refuse a document with a missing and an unknown key', () => {
    const { suite: _suite, ...rest } = measured.plan;
    expect(complaints('plan', rest).join()).toContain("'suite'");
    expect(complaints('plan', { ...measured.plan, extra: 1 })).not.toEqual([]);
  });
});

describe('report.json', () => {
  const published = { kind: 'published', name: '480/500', successes: 480, n: 500 } as const;
  const own = { kind: 'records', name: 'main', records: measured.records, differing: [] } as const;
  const stopping = { ...measured, plan: { ...measured.plan, earlyStop: true } };
  it.each([
    ['floors only', suite],
    ['a published count', assessSuite(measured, { baseline: published, warnings: [] })],
    ['pairs', assessSuite(measured, { baseline: own, warnings: [] })],
    ['an early stop', assessSuite(stopping, { baseline: own, warnings: [] })],
  ])('is what its schema says: %s', (_name, decided) => {
    const document: unknown = JSON.parse(reportJson([decided], { repository: null }));
    expect(() => reportDocumentSchema.parse(document)).not.toThrow();
    expect(complaints('report', document)).toEqual([]);
  });
});
