import { describe, expect, it } from 'vitest';
import { attribute, type KnownTarget } from '../../../src/app/collect/attribute.ts';
import { finished, knownTarget, type Ran } from './finished-sessions.ts';

const simulation = (cell: Ran | null): KnownTarget => knownTarget(cell);
const targets = (...known: readonly (readonly [string, KnownTarget])[]): ReadonlyMap<string, KnownTarget> =>
  new Map(known);

describe('attribute', () => {
  it('takes what ran from the evidence, without asking the target', () => {
    const { sessions, ...rest } = attribute([finished('s1', ['libero_goal', 3, 7])], targets());
    expect(sessions.map(({ cell }) => cell)).toEqual([
      { suite: 'libero_goal', taskId: 3, initStateId: 7, by: 'evidence' },
    ]);
    expect(rest).toEqual({ unattributable: [], otherKinds: [], disagreements: [] });
  });

  it('takes a session without evidence by its target', () => {
    const { sessions } = attribute(
      [finished('s1', null), finished('s2', ['libero_goal', 3, 7])],
      targets(['target-a', simulation(['libero_goal', 3, 7])]),
    );
    expect(sessions.map(({ cell }) => cell.by)).toEqual(['target', 'evidence']);
  });

  it.each([
    ['its target is gone', targets(), /is not in TARGETS\.md/],
    ['its target names no episode', targets(['target-a', simulation(null)]), /does not name them/],
  ])('lists a session without evidence when %s', (_why, known, reason) => {
    const { sessions, unattributable } = attribute([finished('s1', null)], known);
    expect(sessions).toEqual([]);
    expect(unattributable).toMatchObject([
      { session: { sessionId: 's1' }, reason: expect.stringMatching(reason) },
    ]);
  });

  it('says where target and evidence differ, and does not trust that target for its other sessions', () => {
    const found = attribute(
      [finished('s1', ['libero_goal', 3, 7]), finished('s2', null), finished('s3', null, { target: 'b' })],
      targets(['target-a', simulation(['libero_goal', 4, 7])], ['b', simulation(['libero_goal', 4, 7])]),
    );
    expect(found.disagreements).toEqual([
      { sessionId: 's1', message: 'target target-a and evidence differ in task (configured 4, ran 3)' },
    ]);
    expect(found.unattributable.map(({ session }) => session.sessionId)).toEqual(['s2']);
    expect(found.sessions.map(({ sessionId }) => sessionId)).toEqual(['s1', 's3']);
  });

  it('says when the policy was told another task than the simulator ran', () => {
    const told = finished('s1', ['libero_goal', 3, 7], { prompt: 'task 9' });
    expect(attribute([told], targets()).disagreements).toEqual([
      { sessionId: 's1', message: 'the policy was told "task 9", the simulator ran "task 3"' },
    ]);
  });

  it('leaves out targets that are no simulation', () => {
    const found = attribute(
      [finished('s1', ['libero_goal', 3, 7])],
      targets(['target-a', knownTarget(null, { isSimulation: false })]),
    );
    expect(found).toEqual({ sessions: [], unattributable: [], otherKinds: ['s1'], disagreements: [] });
  });

  it('does not take ids below zero for evidence', () => {
    expect(attribute([finished('s1', ['x', 0, -1])], targets()).unattributable).toHaveLength(1);
  });
});
