import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Plan } from '../../../src/model/plan.ts';
import { classify } from '../../../src/outcome/classify.ts';
import type { SessionEvidence } from '../../../src/outcome/evidence.ts';
import { EXPECTED, type Expected } from './captured-outcomes.ts';
import { makePlan } from './plan-builder.ts';

const lineSchema = z.object({
  case: z.string(),
  session: z.looseObject({ session_id: z.string(), skillruntime_ref: z.string() }),
  log: z.unknown(),
  episode: z.unknown(),
});
type Captured = z.infer<typeof lineSchema>;

const file = new URL('../../../fixtures/outcome/captured-sessions.jsonl', import.meta.url);
const captured = new Map<string, Captured>(
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)))
    .map((line) => [`${line.case}/${line.session.session_id}`, line]),
);

/** Languages of the captured suite, taken from the episodes themselves; others get a made-up one. */
const LANGUAGES: ReadonlyMap<number, string> = new Map(
  [...captured.values()].flatMap((line) => {
    const benchmark = z
      .object({ benchmark: z.object({ task_id: z.int(), task_description: z.string() }) })
      .safeParse(line.episode);
    return benchmark.success
      ? [[benchmark.data.benchmark.task_id, benchmark.data.benchmark.task_description] as const]
      : [];
  }),
);

function planFor(expected: Expected, skillruntime: string): Plan {
  return makePlan({
    skillruntime,
    tasks: [{ taskId: expected.taskId, language: LANGUAGES.get(expected.taskId) ?? 'a task' }],
    cells: [cellOf(expected)],
  });
}

function cellOf(expected: Expected): Plan['cells'][number] {
  return { taskId: expected.taskId, initStateId: expected.initStateId, runIndex: 0, arm: 'candidate' };
}

function evidenceOf(line: Captured, prompt: string | null): SessionEvidence {
  const session = prompt === null ? line.session : { ...line.session, task_description: prompt };
  return {
    sessionId: line.session.session_id,
    session,
    log: line.log,
    episode: line.episode === null ? { state: 'absent' } : { state: 'present', value: line.episode },
  };
}

function judge(expected: Expected, prompt: 'planned' | 'as captured'): ReturnType<typeof classify> {
  const line = captured.get(expected.key);
  if (line === undefined) throw new Error(`no capture ${expected.key}`);
  const plan = planFor(expected, line.session.skillruntime_ref);
  const text = prompt === 'planned' ? (plan.tasks[0]?.language ?? '') : null;
  return classify({ verifier: null, plan, cell: cellOf(expected), evidence: evidenceOf(line, text) });
}

describe('every captured session', () => {
  it('is in the table', () => {
    expect(EXPECTED.map((row) => row.key).sort()).toEqual([...captured.keys()].sort());
  });

  it.each(EXPECTED)('$key is $outcome $code', (expected) => {
    const found = judge(expected, 'planned');
    expect([found.outcome, found.errorCode]).toEqual([expected.outcome, expected.code]);
    const decided = expected.outcome === 'success' || expected.outcome === 'failure';
    expect(found.success).toBe(decided ? expected.outcome === 'success' : null);
    expect(found.successSource === null).toBe(!decided);
  });
});

describe('facts of captured episodes', () => {
  const find = (key: string): Expected => {
    const row = EXPECTED.find((each) => each.key === key);
    if (row === undefined) throw new Error(`no row ${key}`);
    return row;
  };

  it('reads steps, the sum of rewards, policy calls and latency of a success', () => {
    const found = judge(find('22-libero-derived-targets-own-contract/c_libero_spatial_t07_i011'), 'planned');
    expect(found).toMatchObject({
      steps: 15,
      episodeReturn: 1,
      policyCalls: 2,
      policyLatencyMs: 1.0759089999510252,
      successSource: 'episode.benchmark',
      artifactDir: 'artifacts/runtime/c_libero_spatial_t07_i011',
      notes: [],
    });
    expect(found.finishedAt).toMatch(/^2026-11-29T13:05:/);
  });

  it('counts a prompt that differs from the planned language as another cell', () => {
    const found = judge(find('17-execute-timeout-libero-then-next/s_next'), 'as captured');
    expect(found.outcome).toBe('mismatch');
    expect(found.notes.join()).toContain('prompt: planned "pick up the black bowl');
  });

  it('says why a late timeout is one', () => {
    const found = judge(find('17-execute-timeout-libero-then-next/s_timeout'), 'planned');
    expect(found.notes).toEqual(['late timeout: SESSIONS.md says RUNTIME_ERROR, LOG.md says timed_out']);
    expect(found.errorMessage).toContain('execute_timeout_s=2.0');
    expect(found.steps).toBeNull();
  });

  it('names planned and executed cell of a mismatch', () => {
    const found = judge(find('32-configure-and-describe-during-run/s_run'), 'planned');
    expect(found.notes).toEqual(
      expect.arrayContaining(['task: planned 0, ran 7', 'initial state: planned 3, ran 9']),
    );
    expect(found.executed).toMatchObject({ taskId: 7, initStateId: 9 });
  });

  it('lists preflight codes of a rejection', () => {
    const found = judge(find('03-target-disabled/s_dis'), 'planned');
    expect(found.notes).toEqual(['preflight: TARGET_DISABLED']);
  });

  it('gives no success to an episode whose close failed', () => {
    const found = judge(find('85-close-fails-after-success/s_badclose'), 'planned');
    expect(found).toMatchObject({ success: null, outcome: 'error', steps: null, artifactDir: null });
  });

  it('takes the simulator over a verifier that overruled the session', () => {
    const line = captured.get('41-verification-enforce-service-flag-no-verifier/v_enforce');
    if (line === undefined) throw new Error('no capture');
    const found = classify({ verifier: null, plan: null, cell: null, evidence: evidenceOf(line, null) });
    expect(found).toMatchObject({ outcome: 'success', success: true, successSource: 'session.final_status' });
  });
});
