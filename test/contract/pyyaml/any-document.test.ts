import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertySeed } from '../../../.github/config/property-seed.ts';
import { examineWorkspace } from '../../../src/app/doctor/check-workspace.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { openHost } from '../../../src/job/prepare/open-host.ts';
import { lookAtWorkspace, measuredDigest } from '../../../src/job/prepare/workspace-look.ts';
import { cellTargetWith } from '../../../src/queue/cell-target.ts';
import { editTargetsText, equalsEntry, readTargetsText } from '../../../src/queue/targets-document.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { findYamlBlock, renderDocument } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { isMapping } from '../../../src/workspace/shape.ts';
import { called } from '../app/verb-context.ts';
import { Chance } from './chance.ts';
import { DocumentWriter } from './document-writer.ts';

/*
 * Whatever stands in the measured target is measured or refused by code and place, by a run as by doctor: no document
 * ends in a bug. The seed is printed; RB_PROPERTY_SEED repeats a run.
 */
const DOCUMENTS = Number(process.env['RB_FUZZ_TARGETS'] ?? 300);
const seed = propertySeed(process.env['RB_PROPERTY_SEED'], Math.random);

let host: Host;
let inputs: Parameters<typeof openHost>[0];
let target: Record<string, unknown>;

beforeAll(async () => {
  host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
  const argv = ['run', '--workspace', host.workspace, '--target', LIBERO_TARGET_ID];
  ({ inputs } = (await called([...argv, '--policy-endpoint', 'openpi://127.0.0.1:1'])).verb);
  const block = findYamlBlock(await readFile(path.join(host.workspace, 'TARGETS.md'), 'utf8'));
  if ('problem' in block) throw new Error(block.problem);
  const document = loadYaml(block.body);
  const targets = isMapping(document) && Array.isArray(document['targets']) ? document['targets'] : [];
  const { config: _config, ...rest } = targets.find(
    (each) => isMapping(each) && each['id'] === LIBERO_TARGET_ID,
  );
  target = rest;
});
afterAll(() => host.stop());

/** TARGETS.md with one target, whose config ends with these lines (four blanks before each key). */
async function writeTargets(lines: string): Promise<string> {
  const entry = dumpYaml([target]);
  const body = `version: runtime_target_registry_v1\ntargets:\n${entry}  config:\n    benchmark_name: libero_spatial\n${lines}`;
  const text = renderDocument('Runtime Targets', body);
  await writeFile(path.join(host.workspace, 'TARGETS.md'), text);
  return text;
}

/** Codes of the problems, empty when a run could begin; then a cell's target goes into the document and out again. */
async function tried(text: string): Promise<string[]> {
  try {
    const open = await openHost(inputs);
    const config = isMapping(open.base.entry['config']) ? open.base.entry['config'] : {};
    const cell = cellTargetWith(open.base, { ...config, task_id: 3 });
    dumpYaml(cell.contract);
    expect(measuredDigest(open, await lookAtWorkspace(open))).toMatch(/^[0-9a-f]{64}$/);
    const edited = editTargetsText(text, { add: [cell], remove: [] });
    expect(equalsEntry(readTargetsText(edited).get(cell.id), cell)).toBe(true);
    expect(editTargetsText(edited, { add: [], remove: [cell.id] })).toBe(text);
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems.map(({ code }) => code);
    throw new Error(`a bug over this document:\n${text}`, { cause: error });
  }
}

async function doctorCodes(): Promise<string[]> {
  const none = { skillruntime: null, suites: null, policyEndpoint: null, targetEndpoint: null, runner: null };
  const options = { ...none, target: LIBERO_TARGET_ID, nowMs: 0, searchPath: '/usr/bin:/bin', dialect: null };
  const { problems } = await examineWorkspace(host.workspace, options);
  return problems.filter(({ severity }) => severity === 'fatal').map(({ code }) => code);
}

describe(`any document, seed ${seed}`, { timeout: 300_000 }, () => {
  it.each([
    '.inf',
    '-.inf',
    '.nan',
    '9007199254740993',
    '2026-08-03',
    '!!binary aGk=',
    '!!set {a, b}',
    '!!omap [a: 1]',
    '1.0e+400',
  ])('takes %s in the config of the measured target', async (value) => {
    expect(await tried(await writeTargets(`    max_force: ${value}\n`))).toEqual([]);
    expect(await doctorCodes()).toEqual([]);
  });

  it.each([
    ['keys that are no text', 'cameras: {0: front}', 'RB223'],
    ['a value in itself', 'loop: &l [*l]', 'RB222'],
    ['half a character', 'name: "\\ud83d"', 'RB222'],
    ['what the runtime refuses', 'cam: &cam.front 1', 'RB203'],
    ['a text block at the very end, which an entry behind it would change', 'note: |\n      x', 'RB212'],
  ])('refuses %s by code, doctor too', async (_name, line, code) => {
    expect(await tried(await writeTargets(`    ${line}\n`))).toContain(code);
    expect(await doctorCodes()).toContain(code);
  });

  it(`ends in a code or a measurement, ${DOCUMENTS} random configs`, async () => {
    const chance = new Chance(seed);
    let taken = 0;
    for (let index = 0; index < DOCUMENTS; index += 1) {
      const text = await writeTargets(new DocumentWriter(chance).mappingAt(4));
      const codes = await tried(text);
      const doctor = await doctorCodes();
      if (codes.length === 0) taken += 1;
      expect(doctor, `doctor over\n${text}`).toEqual(expect.arrayContaining(codes));
    }
    console.log(`seed ${seed}: ${DOCUMENTS} targets, ${taken} measurable, the rest refused by code`);
    expect(taken).toBeGreaterThan(0);
  });
});
