import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { isHeldOutPlan } from '../../../src/model/plan.ts';
import { parseHeldOut } from '../../../src/plan/held-out-file.ts';
import { heldOutCommitment, maskedNumbers } from '../../../src/plan/held-out-list.ts';
import { heldOutMask } from '../../../src/plan/held-out-mask.ts';
import { makePlan, planDigest } from '../../../src/plan/make-plan.ts';
import { planRequest } from './plan-request.ts';

const SALT = '0123456789abcdef0123456789abcdef';
const FILE = `salt: ${SALT}
suite: libero_spatial
cells:
  - {task: 3, init-states: 40-42}
  - {task: "0-1", init-states: [44, "46-47"]}
`;

const list = parseHeldOut(FILE, 'held-out.yml');
const LANGUAGE = 'pick up the black bowl next to the ramekin and place it on the plate';
const open = [
  { taskId: 3, initStateId: 1 },
  { taskId: 3, initStateId: 43 },
  { taskId: 5, initStateId: 1 },
];
const mask = heldOutMask({ salts: [SALT], open, languages: [LANGUAGE] });

function problemsOf(text: string): readonly { code: string; message: string }[] {
  try {
    parseHeldOut(text, 'held-out.yml');
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
  return [];
}

describe('the held-out file', () => {
  test('its ranges are cells, each once, in one order', () => {
    expect(list.cells.map(({ taskId, initStateId }) => `${taskId}/${initStateId}`)).toEqual([
      '0/44',
      '0/46',
      '0/47',
      '1/44',
      '1/46',
      '1/47',
      '3/40',
      '3/41',
      '3/42',
    ]);
    const again = parseHeldOut(FILE.replace('40-42', '[42, 40, 41, 40]'), 'x');
    expect(again).toEqual(list);
  });

  test('all that is wrong is said at once, and nothing of it is repeated', () => {
    const problems = problemsOf(
      'salt: 00ff\nsuite: libero_spatial\ncells:\n  - {task: 3, init-states: 47-40}\n  - {tasks: 7}\n',
    );
    expect(problems.length).toBeGreaterThanOrEqual(3);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['RB426']));
    expect(JSON.stringify(problems)).not.toMatch(/47|40/);
    expect(problemsOf(FILE.replace('40-42', '47-40'))[0]?.message).toContain('cells.0.init-states');
    expect(problemsOf('a: &x [1]\nb: *x\n')[0]?.message).toContain('alias');
    expect(problemsOf('salt: [')[0]?.message).toContain('not YAML');
  });

  test('the commitment is that of salt and list alone, and any change shows', () => {
    // Computed with another program from the words of the docs.
    expect(heldOutCommitment(list)).toBe('f6019d9427345c9a76a2841f004588a91b588694e2b9413544ff99555b28eed0');
    expect(heldOutCommitment({ ...list, cells: list.cells.slice(1) })).not.toBe(heldOutCommitment(list));
    expect(heldOutCommitment({ ...list, salt: SALT.replace('0', '1') })).not.toBe(heldOutCommitment(list));
    expect(heldOutCommitment({ ...list, suite: 'libero_object' })).not.toBe(heldOutCommitment(list));
  });

  test('masked numbers are 1 to n and follow the salt, not the ids', () => {
    const numbers = (salt: string): number[] => [...maskedNumbers(salt, list.cells).values()];
    expect(numbers(SALT).toSorted((left, right) => left - right)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...maskedNumbers(SALT, list.cells)]).toEqual([...maskedNumbers(SALT, list.cells.toReversed())]);
    expect([...maskedNumbers(SALT, list.cells)]).not.toEqual([
      ...maskedNumbers(SALT.replace('0', '1'), list.cells),
    ]);
  });
});

describe('the plans of a held-out set', () => {
  const claim = { commitment: heldOutCommitment(list), count: list.cells.length };
  const request = planRequest({
    initStates: [40, 41, 42, 44, 46, 47],
    repeats: 2,
    arms: ['candidate', 'baseline'],
  });

  test('hold exactly the cells of the list, each with all repeats and arms', () => {
    const plan = makePlan({ ...request, only: list.cells, heldOut: { ...claim, salt: SALT } });
    expect(plan.cells).toHaveLength(list.cells.length * 4);
    expect(isHeldOutPlan(plan)).toBe(true);
    const places = new Set(plan.cells.map(({ taskId, initStateId }) => `${taskId}/${initStateId}`));
    expect(places.size).toBe(list.cells.length);
  });

  test('a plan without one has the digest it always had, with one another', () => {
    const plain = makePlan(planRequest());
    expect(plain).not.toHaveProperty('heldOut');
    const committed = makePlan(planRequest({ heldOut: claim }));
    expect(planDigest(committed)).not.toBe(planDigest(plain));
    expect(isHeldOutPlan(committed)).toBe(false);
  });
});

describe('what must not leave the host', () => {
  test.each([
    't3-i40-r0-candidate',
    'rb-run-t03-i040-r0-candidate-a0',
    'task 3 with initial state 41 failed',
    'IndexError: init_state_id=42 is out of range for task_id=3',
    '{"initStateId":44,"outcome":"failure","taskId":1}',
    'task: 3\ninit_state: 40\n',
    '--tasks 3 --init-states 41',
    LANGUAGE,
    'Pick_Up_The_Black_Bowl_Next_To_The_Ramekin_And_Place_It_On_The_Plate',
    'pick\\_up the black bowl next to the ramekin, and place it on the plate.',
    `salt ${SALT}`,
  ])('is found and masked: %s', (text) => {
    expect(mask.finds(text)).toBe(true);
    const masked = mask.mask(`before ${text} after`);
    expect(mask.finds(masked)).toBe(false);
    expect(masked).toMatch(/^before .*(?:\[a (?:cell|task) that is not shown\]|\*\*\*).* after$/s);
  });

  test.each([
    't3-i43',
    't3-i1-r0-candidate',
    'task 3, initial state 1: success',
    'task 5 initial state 1, task 3 initial state 43',
    '{"initStateId":1,"taskId":5},{"initStateId":1,"taskId":3}',
    'Initial states other than 0-9 were not run; 3 tasks, 40 states',
    'pick up the black bowl between the plate and the ramekin',
    'libero_spatial 40/50, 3 of 40 succeeded',
  ])('is not: %s', (text) => {
    expect(mask.finds(text)).toBe(false);
    expect(mask.mask(text)).toBe(text);
  });

  test('what becomes of a text does not tell whether its cell is held out', () => {
    const written = (text: string): string => mask.mask(text).replaceAll(/\d+/g, '#');
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (taskId, initStateId) => {
        fc.pre(open.every((cell) => cell.taskId !== taskId || cell.initStateId !== initStateId));
        expect(written(`branch t${taskId}-i${initStateId}`)).toBe(written('branch t3-i40'));
        expect(mask.finds(`task ${taskId}, initial state ${initStateId}`)).toBe(true);
      }),
    );
  });

  test('no cell survives masking, in whatever form and surroundings', () => {
    const forms: ((task: number, state: number) => string)[] = [
      (task, state) => `t${task}-i${state}`,
      (task, state) => `t${String(task).padStart(2, '0')}-i${String(state).padStart(3, '0')}-r1-baseline`,
      (task, state) => `task ${task}, init state ${state}`,
      (task, state) => `init_state_id: ${state}, task_id: ${task}`,
      (task, state) => `"taskId": ${task},\n  "initStateId": ${state}`,
    ];
    const words = fc.string({ maxLength: 12 }).filter((text) => !/task|init|[{}0-9]|t$/i.test(text));
    fc.assert(
      fc.property(
        fc.constantFrom(...list.cells),
        fc.constantFrom(...forms),
        words,
        words,
        (cell, form, left, right) => {
          const text = `${left} ${form(cell.taskId, cell.initStateId)} ${right}`;
          expect(mask.finds(text)).toBe(true);
          expect(mask.finds(mask.mask(text))).toBe(false);
        },
      ),
    );
  });

  test('a long text is looked through in reasonable time', () => {
    const text = 'task 5, initial state 1: success\n'.repeat(20_000);
    expect(mask.finds(text)).toBe(false);
  });

  test('thousands of open cells stay one look', () => {
    const cells = Array.from({ length: 5000 }, (_, index) => ({
      taskId: index % 100,
      initStateId: 1000 + index,
    }));
    const many = heldOutMask({ salts: [], open: cells, languages: [] });
    expect(many.mask('t7-i1007 t7-i1008')).toBe('t7-i1007 [a cell that is not shown]');
  });
});
