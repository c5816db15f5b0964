import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Classified } from '../../../src/outcome/classified.ts';
import { classify } from '../../../src/outcome/classify.ts';
import { makePlan } from './plan-builder.ts';

const lineSchema = z.object({
  case: z.string(),
  session: z.looseObject({ session_id: z.string(), task_description: z.string() }),
  log: z.looseObject({}).nullable(),
  episode: z.looseObject({}).nullable(),
});

/** Sessions of the runtime's own dummy target, as both of its versions wrote them. */
const captured = readFileSync(
  new URL('../../../fixtures/outcome/captured-sessions.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .filter((line) => /^\{"case":"0[12]-/.test(line))
  .map((line) => lineSchema.parse(JSON.parse(line)));

function dummy(name: string) {
  const found = captured.find((line) => line.case === name);
  if (found === undefined) throw new Error(`no capture ${name}`);
  return found;
}

type Line = ReturnType<typeof dummy>;

function judged(line: Line, cellTarget: string | null = 'dummy_sim'): Classified {
  const cell = { taskId: 0, initStateId: 0, runIndex: 0, arm: 'candidate' } as const;
  const plan = makePlan({
    skillruntime: 'openpi_sim_vla',
    tasks: [{ taskId: 0, language: line.session.task_description }],
    cells: [cell],
    evidence: 'session',
  });
  return classify({
    verifier: null,
    plan,
    cell,
    ...(cellTarget === null ? {} : { cellTarget }),
    evidence: {
      sessionId: line.session.session_id,
      session: line.session,
      log: line.log,
      episode: line.episode === null ? { state: 'absent' } : { state: 'present', value: line.episode },
    },
  });
}

describe.each(['', '-jun'])('a cell that its session proves%s', (version) => {
  const success = dummy(`01-dummy-success${version}`);
  const maxSteps = dummy(`02-max-steps${version}`);

  it('counts by the target that the session named and its final status', () => {
    expect(judged(success)).toMatchObject({
      outcome: 'success',
      success: true,
      successSource: 'session.final_status',
    });
    expect(judged(maxSteps)).toMatchObject({ outcome: 'failure', success: false });
  });

  it('is another cell when any document names another target', () => {
    expect(judged(success, 'dummy_sim--rb-00000000')).toMatchObject({ outcome: 'mismatch', success: null });
    const moved = { ...success, episode: { ...success.episode, target_id: 'dummy_sim--rb-00000000' } };
    expect(judged(moved)).toMatchObject({ outcome: 'mismatch' });
    expect(judged(success, null)).toMatchObject({ outcome: 'missing' });
  });

  it('is nothing when no document names a target', () => {
    const nameless = {
      ...success,
      session: { ...success.session, target_ref: null },
      log: null,
      episode: null,
    };
    expect(judged(nameless)).toMatchObject({ outcome: 'missing', success: null });
  });

  it('is still refused when the simulator does name a cell, and another one', () => {
    const benchmark = { benchmark_name: 'libero_spatial', task_id: 3, init_state_id: 0, success: true };
    const other = { ...success, episode: { ...success.episode, benchmark } };
    expect(judged(other)).toMatchObject({ outcome: 'mismatch' });
  });

  it('is a conflict when the session contradicts itself', () => {
    const bare = { success: false, metadata: {} };
    const both = { ...success, session: { ...success.session, result: bare }, log: null, episode: null };
    expect(judged(both)).toMatchObject({ outcome: 'conflict', success: null });
  });

  it('fails by its own word when no final status is left, and a fault stays an error', () => {
    const word = (result: object): Line => ({
      ...success,
      session: { ...success.session, status: 'failed', result: { success: false, ...result } },
      log: null,
      episode: null,
    });
    expect(judged(word({}))).toMatchObject({ outcome: 'failure', successSource: 'session.result' });
    expect(judged(word({ error_code: 'TARGET_CONNECTION' }))).toMatchObject({ outcome: 'error' });
  });
});
