import { readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { loadBundle } from '../../bundle/load-bundle.ts';
import { RbError } from '../../errors/rb-error.ts';
import { type Baseline as AcceptedBaseline, isBaselineText, parseBaseline } from '../../history/baseline.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { type EpisodeRecord, episodeRecordSchema } from '../../outcome/episode-record.ts';
import type { Measurement } from '../../results/merge-shards.ts';
import { resultsSchema } from '../../results/results.ts';
import { type PreparedBaseline, prepareCount, prepareRecords } from '../../verdict/baseline.ts';

const MAX_BASELINE_BYTES = 256 * 1024 * 1024;

/** The accepted baseline of a suite on the base branch; null when there is none, a text when it cannot be read. */
export type AcceptedLookup = (suite: string) => Promise<AcceptedBaseline | string | null>;

/**
 * What a measurement is held against. A *named* baseline that is absent or unusable makes the verdict INVALID; `auto`
 * without an accepted one leaves the floors alone, with a note. Null: the run's own baseline arm, or nothing.
 */
export async function baselineFor(
  measurement: Measurement,
  wanted: Inputs['baseline'],
  accepted: AcceptedLookup,
): Promise<PreparedBaseline | null> {
  const { plan, run } = measurement;
  if (plan.arms.includes('baseline')) return null;
  switch (wanted.kind) {
    case 'none':
      return { baseline: { kind: 'none', note: null }, warnings: [] };
    case 'count': {
      const { successes, n } = wanted;
      const name = `the published count ${successes}/${n}`;
      return prepareCount(plan, run.fingerprint, {
        name,
        suite: plan.suite,
        successes,
        n,
        fingerprint: null,
      });
    }
    case 'path':
      return fromPath(measurement, wanted.path);
    case 'auto':
      return fromBranch(measurement, await accepted(plan.suite));
  }
}

function fromBranch({ plan, run }: Measurement, found: AcceptedBaseline | string | null): PreparedBaseline {
  if (found === null) {
    const note = 'No accepted baseline yet: only floors decide.';
    return { baseline: { kind: 'none', note }, warnings: [] };
  }
  if (typeof found === 'string') {
    return {
      baseline: { kind: 'refused', name: 'the accepted baseline', reasons: [unreadable(found)] },
      warnings: [],
    };
  }
  const { branch, commit, runId } = found.header;
  return fromAccepted({ plan, run }, found, `${branch} at ${commit === null ? runId : commit.slice(0, 10)}`);
}

function fromAccepted(
  { plan, run }: Pick<Measurement, 'plan' | 'run'>,
  { header, cells }: AcceptedBaseline,
  name: string,
): PreparedBaseline {
  const languages = new Map(plan.tasks.map((task) => [task.taskId, task.language]));
  const records = cells.map((cell) => ({
    ...EMPTY_RECORD,
    ...cell,
    benchmark: plan.benchmark,
    // The branch keeps no languages; the plan digest and fingerprint already tell another task list.
    language: languages.get(cell.taskId) ?? '',
  }));
  return prepareRecords(plan, run.fingerprint, { name, records, fingerprint: header.fingerprint });
}

/** What an accepted cell does not keep. */
const EMPTY_RECORD: Omit<
  EpisodeRecord,
  'benchmark' | 'suite' | 'taskId' | 'initStateId' | 'runIndex' | 'position' | 'outcome'
> = {
  arm: 'candidate',
  language: '',
  sessionId: null,
  attempts: [],
  success: null,
  successSource: null,
  steps: null,
  episodeReturn: null,
  policyLatencyMs: null,
  policyCalls: null,
  durationMs: null,
  startedAt: null,
  finishedAt: null,
  errorCode: null,
  errorMessage: null,
  artifactDir: null,
  notes: [],
};

async function fromPath(measurement: Measurement, given: string): Promise<PreparedBaseline> {
  const { plan, run } = measurement;
  const name = path.basename(given);
  const found = await stat(given).catch(() => null);
  if (found === null) return { baseline: { kind: 'absent', name: given }, warnings: [] };
  try {
    if (found.isDirectory()) {
      const bundle = await loadBundle(path.resolve(given));
      const records = bundle.records.filter(({ arm }) => arm === 'candidate');
      return prepareRecords(plan, run.fingerprint, { name, records, fingerprint: bundle.run.fingerprint });
    }
    return fromText(measurement, { name, text: await readBaselineText(given, found.size) });
  } catch (error) {
    const why = error instanceof RbError ? (error.problems[0]?.message ?? '') : String(error);
    return { baseline: { kind: 'refused', name, reasons: [unreadable(why)] }, warnings: [] };
  }
}

async function readBaselineText(file: string, bytes: number): Promise<string> {
  if (bytes > MAX_BASELINE_BYTES) throw new TypeError(`it is larger than ${MAX_BASELINE_BYTES} bytes`);
  return readFile(file, 'utf8');
}

/** results.json gives counts; episodes.jsonl, of a bundle or as `accept` writes it, gives cells. */
function fromText(measurement: Measurement, file: { name: string; text: string }): PreparedBaseline {
  const { plan, run } = measurement;
  const accepted = isBaselineText(file.text) ? parseBaseline(file.name, file.text) : null;
  if (accepted !== null) return fromAccepted(measurement, accepted, file.name);
  const results = resultsSchema.safeParse(parsedJson(file.text));
  if (results.success) {
    const arm = results.data.arms.find((each) => each.arm === 'candidate');
    const { k = 0, n = 0 } = arm?.successRate ?? {};
    const { suite } = results.data;
    const { fingerprint } = results.data.run;
    return prepareCount(plan, run.fingerprint, { name: file.name, suite, successes: k, n, fingerprint });
  }
  const lines = file.text.split('\n').filter((line) => line.trim() !== '');
  const records = lines.map((line, index) => recordOf(line, index)).filter(({ arm }) => arm === 'candidate');
  return prepareRecords(plan, run.fingerprint, { name: file.name, records, fingerprint: null });
}

function recordOf(line: string, index: number): EpisodeRecord {
  const parsed = episodeRecordSchema.safeParse(parsedJson(line));
  if (parsed.success) return parsed.data;
  throw new TypeError(
    `line ${index + 1} is no episode record (see ${BUNDLE_FILES.episodes}): ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`,
  );
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(why: string): { code: string; text: string } {
  return { code: 'baseline_unreadable', text: `The baseline cannot be read: ${why.slice(0, 300)}.` };
}
