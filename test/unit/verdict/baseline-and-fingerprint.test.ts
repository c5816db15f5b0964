import { describe, expect, test } from 'vitest';
import { prepareCount, prepareRecords } from '../../../src/verdict/baseline.ts';
import { compareFingerprints, fingerprintDigest, fingerprintOf } from '../../../src/verdict/fingerprint.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { readClaim } from '../../../src/verdict/published-claim.ts';
import { ruleProblems } from '../../../src/verdict/thresholds.ts';
import { planOf, recordsOf } from './records.ts';

const plan = planOf({ tasks: 10, initStates: 10 });
const records = recordsOf(plan, () => 'success');
const observed = {
  simulator: 'LiberoRealRemoteTargetRuntime',
  gl_backend: 'egl',
  action_contract: { shape: ['T', 7] },
};
const fingerprint = fingerprintOf(plan, observed);

const codesOf = (prepared: ReturnType<typeof prepareRecords>): string[] =>
  prepared.baseline.kind === 'refused' ? prepared.baseline.reasons.map((reason) => reason.code) : [];

describe('fingerprint', () => {
  test('same plan and observations, same digest', () => {
    const again = fingerprintOf(planOf({ tasks: 10, initStates: 10 }), { ...observed });
    expect(again).toEqual(fingerprint);
    expect(fingerprintDigest(again)).toBe(fingerprintDigest(fingerprint));
    expect(compareFingerprints(fingerprint, again).differing).toEqual([]);
  });

  test('a difference names its field, and what nobody saw stays unknown', () => {
    const other = fingerprintOf(
      { ...plan, limits: { ...plan.limits, maxSteps: 600 }, targetConfig: { camera_height: 224 } },
      { ...observed, gl_backend: 'osmesa', action_contract: { shape: ['T', 8] }, env_seed: 7 },
    );
    const base = fingerprintOf(
      { ...plan, targetConfig: { camera_height: 256, libero: { seed: 7 } } },
      observed,
    );
    const { differing, unestablished } = compareFingerprints(base, other);
    expect(differing).toEqual([
      'max_steps',
      'action_contract',
      'gl_backend',
      'config.camera_height',
      'config.libero',
    ]);
    expect(unestablished).toContain('env_seed');
    expect(unestablished).toContain('policy_seed');
    expect(base['env_seed']).toBeNull();
  });

  test('numbers that are none are unknown', () => {
    expect(fingerprintOf(plan, { env_seed: Number.NaN })['env_seed']).toBeNull();
  });

  test('fields of a later version are compared too', () => {
    expect(compareFingerprints({ new_field: 1 }, { new_field: 2 }).differing).toEqual(['new_field']);
  });

  test('what proves the cells is part of it, where it is not the simulator', () => {
    const bySession = fingerprintOf({ ...plan, evidence: 'session' }, observed);
    const evidenceOf = (a: Record<string, unknown>, b: Record<string, unknown>) => {
      const { differing, unestablished } = compareFingerprints(a, b);
      return [differing.includes('evidence'), unestablished.includes('evidence')];
    };
    expect(Object.hasOwn(fingerprint, 'evidence')).toBe(false);
    expect(evidenceOf(fingerprint, bySession)).toEqual([true, false]);
    expect(evidenceOf(bySession, fingerprint)).toEqual([true, false]);
    expect(evidenceOf(bySession, bySession)).toEqual([false, false]);
    expect(evidenceOf(fingerprint, fingerprint)).toEqual([false, false]);
    expect(evidenceOf(bySession, {})).toEqual([false, true]);
    expect(evidenceOf(fingerprint, {})).toEqual([false, false]);
    expect(compareFingerprints({ ...fingerprint }, { evidence: 'session' }).differing).toEqual(['evidence']);
  });

  test('a baseline that took the word of the sessions compares with no run that asked the simulator', () => {
    const theirs = fingerprintOf({ ...plan, evidence: 'session' }, observed);
    const prepared = prepareRecords(plan, fingerprint, { name: 'main', records, fingerprint: theirs });
    const decision = decideFromRecords(plan, records, { baseline: prepared.baseline });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('evidence');
  });

  test('tasks, cells and thresholds are no part of it', () => {
    const smaller = planOf({ tasks: 3, initStates: 2, thresholds: { minSuccessRate: 0.9 } });
    expect(compareFingerprints(fingerprint, fingerprintOf(smaller, observed)).differing).toEqual([]);
  });
});

describe('a baseline with records', () => {
  test('of the same protocol is taken, and gaps of knowledge are said', () => {
    const prepared = prepareRecords(plan, fingerprint, { name: 'abc', records, fingerprint });
    expect(prepared.baseline).toMatchObject({ kind: 'records', differing: [] });
    expect(prepared.warnings.map((warning) => warning.code)).toEqual(['protocol_unestablished']);
    expect(decideFromRecords(plan, records, { baseline: prepared.baseline }).verdict).toBe('PASS');
  });

  test.each([
    ['no records', [], 'baseline_empty'],
    ['another suite', records.map((record) => ({ ...record, suite: 'libero_10' })), 'baseline_other_suite'],
    ['cells twice', [...records, ...records.slice(0, 2)], 'baseline_duplicate'],
    ['only errors', recordsOf(plan, () => 'error'), 'baseline_empty'],
    ['NaN steps', records.map((record) => ({ ...record, steps: Number.NaN })), 'baseline_impossible'],
    ['negative steps', records.map((record) => ({ ...record, steps: -3 })), 'baseline_impossible'],
    [
      'other cells',
      records.map((record) => ({ ...record, initStateId: 90 + record.initStateId })),
      'baseline_fewer_cells',
    ],
  ])('is refused: %s', (_name, offered, code) => {
    const prepared = prepareRecords(plan, fingerprint, { name: 'abc', records: offered, fingerprint });
    expect(codesOf(prepared)).toContain(code);
    const decision = decideFromRecords(plan, records, { baseline: prepared.baseline });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons.map((reason) => reason.code)).toContain(code);
  });

  test('another instruction for a shared task makes the comparison INVALID', () => {
    const reworded = records.map((record) =>
      record.taskId === 3 ? { ...record, language: 'do it differently' } : record,
    );
    const { baseline } = prepareRecords(plan, fingerprint, { name: 'abc', records: reworded, fingerprint });
    const decision = decideFromRecords(plan, records, { baseline });
    expect(decision.verdict).toBe('INVALID');
    expect(decision.reasons[0]?.text).toContain('task_language of task 3');
  });
});

describe('which task a number stands for', () => {
  const names = plan.tasks.map(({ taskId }) => ({
    taskId,
    name: `scene_${taskId}`,
    file: `goal/${taskId}.bddl`,
  }));
  const codesSaid = (prepared: ReturnType<typeof prepareRecords>) =>
    prepared.warnings.map(({ code }) => code);
  const named = fingerprintOf(plan, observed, names);

  test('names and files of planned tasks are in the fingerprint; two runs may share only some', () => {
    const smaller = planOf({ tasks: 3, initStates: 2 });
    const part = fingerprintOf(smaller, observed, names);
    expect(part).toMatchObject({ 'task_name.2': 'scene_2', 'task_file.2': 'goal/2.bddl' });
    expect(part).not.toHaveProperty('task_name.3');
    expect(compareFingerprints(named, part)).toMatchObject({
      differing: [],
      unestablished: compareFingerprints(fingerprint, fingerprint).unestablished,
    });
  });

  test('another name or file behind the same number and text is a difference', () => {
    const changed = names.map((task) => (task.taskId === 4 ? { ...task, name: 'scene_7' } : task));
    const moved = names.map((task) => (task.taskId === 5 ? { ...task, file: 'other.bddl' } : task));
    const differing = (tasks: typeof names) =>
      compareFingerprints(named, fingerprintOf(plan, observed, tasks)).differing;
    expect(differing(changed)).toEqual(['task_name of task 4']);
    expect(differing(moved)).toEqual(['task_file of task 5']);
  });

  test('a text that several tasks share proves nothing without a name', () => {
    const shared = {
      ...plan,
      tasks: plan.tasks.map((task) => (task.taskId < 2 ? { ...task, language: 'open' } : task)),
    };
    const offered = recordsOf(shared, () => 'success').map((record) =>
      record.taskId < 2 ? { ...record, language: 'open' } : record,
    );
    const by = (own: typeof named, theirs: typeof named) =>
      prepareRecords(shared, own, { name: 'abc', records: offered, fingerprint: theirs });
    expect(codesSaid(by(named, named))).not.toContain('task_identity_unknown');
    expect(by(named, fingerprint).warnings.at(-1)).toMatchObject({
      code: 'task_identity_unknown',
      text: expect.stringContaining('task 0, 1 of abc'),
    });
  });

  test('a baseline without texts is said, never equal', () => {
    const silent = records.map((record) => ({ ...record, language: '' }));
    const prepared = prepareRecords(plan, fingerprint, { name: 'abc', records: silent, fingerprint });
    expect(prepared.baseline).toMatchObject({ kind: 'records', differing: [] });
    expect(codesSaid(prepared)).toContain('task_identity_unknown');
  });

  test('a rate over other tasks, or tasks of other texts, is refused', () => {
    const count = { name: 'results.json', suite: 'libero_goal', successes: 9, n: 10, fingerprint };
    const offered = (tasks: typeof plan.tasks) => prepareCount(plan, fingerprint, { ...count, tasks });
    expect(codesOf(offered(plan.tasks))).toEqual([]);
    expect(codesOf(offered(plan.tasks.slice(1)))).toEqual(['baseline_other_tasks']);
    const swapped = plan.tasks.map(({ taskId }) => ({ taskId, language: `do task ${9 - taskId}` }));
    expect(codesOf(offered(swapped))).toEqual(['fingerprint_differs']);
  });
});

describe('a baseline that is only a count', () => {
  const offered = { name: 'a paper', suite: 'libero_goal', successes: 486, n: 500, fingerprint: null };

  test('is taken', () => {
    expect(prepareCount(plan, fingerprint, offered).baseline).toEqual({
      kind: 'published',
      name: 'a paper',
      successes: 486,
      n: 500,
    });
  });

  test.each([
    [{ suite: 'libero_10' }, 'baseline_other_suite'],
    [{ n: 0, successes: 0 }, 'baseline_empty'],
    [{ successes: 501 }, 'baseline_impossible'],
    [{ successes: Number.NaN }, 'baseline_impossible'],
    [{ fingerprint: { ...fingerprint, max_steps: 600 } }, 'fingerprint_differs'],
  ])('is refused: %j', (change, code) => {
    expect(codesOf(prepareCount(plan, fingerprint, { ...offered, ...change }))).toContain(code);
  });

  test.each([
    ['486/500', 486, 500],
    ['97.2% of 500', 486, 500],
    ['97.2%/500', 486, 500],
    ['84.7% of 1500', 1271, 1500],
    ['96.85% of 2000', 1937, 2000],
  ])('%s reads as %i of %i', (text, successes, n) => {
    expect(readClaim(text, 'input baseline')).toMatchObject({ successes, n });
  });

  test('several possible counts are said', () => {
    expect(readClaim('84.7% of 1500', 'input baseline')).toMatchObject({
      note: expect.stringContaining('1270, 1271'),
    });
  });

  test.each([
    ['43.9% of 500', 'RB603'],
    ['97.65% of 200', 'RB603'],
    ['501/500', 'RB604'],
    ['0/0', 'RB604'],
    ['about 97', 'RB604'],
    ['97.2', 'RB604'],
    ['101% of 10', 'RB604'],
  ])('%s is refused with %s', (text, code) => {
    expect(readClaim(text, 'input baseline')).toMatchObject({ problem: { code } });
  });
});

describe('rules that a plan cannot meet', () => {
  const rules = {
    minSuccessRate: null,
    minTaskSuccessRate: null,
    thresholdMode: 'point',
    maxRegression: 0.05,
  } as const;

  test('all problems come at once, with the number that would do', () => {
    const problems = ruleProblems(
      { minSuccessRate: 0.99, minTaskSuccessRate: 1, thresholdMode: 'lower-bound', maxRegression: 0 },
      { overall: 100, perTask: 10 },
    );
    expect(problems.map((problem) => problem.code)).toEqual(['RB601', 'RB602', 'RB602']);
    expect(problems[1]?.fix).toContain('at least 299');
    expect(problems[2]?.fix).toContain('No number');
  });

  test('sensible rules have none', () => {
    expect(ruleProblems(rules, { overall: 100, perTask: 10 })).toEqual([]);
    expect(ruleProblems({ ...rules, minTaskSuccessRate: 1 }, { overall: 100, perTask: 10 })).toEqual([]);
  });
});
