import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunFacts, runFactsSchema } from '../../../src/model/run-facts.ts';
import { releaseReasons } from '../../../src/verdict/release.ts';
import { makeRunFacts } from '../../unit/results/record-builder.ts';
import { planOf } from '../../unit/verdict/records.ts';
import { finderOf, hostsForTests, json, LIST, runHeldOut, textsOf } from './held-out-run.ts';
import { qualified } from './verb-context.ts';

const start = hostsForTests();

describe('cells that a policy was selected on', () => {
  it('are refused by a release, found by run id, folder and file, and told for any other run', async () => {
    const on = await start();
    const { bundle, outputs } = await runHeldOut(on);
    const runId = outputs['run-id'] ?? '';
    expect(await qualified(on.workspace)).toBe(0);
    const again = (more: readonly string[]) => runHeldOut(on, more);
    for (const from of [runId, bundle, path.join(bundle, 'plan.json'), path.join(bundle, 'episodes.jsonl')]) {
      const refused = await again(['--purpose', 'release', '--selected-from', from]).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ exitCode: 3, problems: [{ code: 'RB432' }] });
      // A list of episodes says nothing of held-out ones.
      const all = from.endsWith('.jsonl') ? '4 of 8' : '8 of 8';
      expect(String(refused)).toContain(`${all} planned cells`);
      expect(finderOf(LIST).finds(String(refused))).toBe(false);
    }
    const told = await again(['--selected-from', bundle]);
    expect(told.exitCode).toBe(0);
    const { selection } = runFactsSchema.parse(await json(told.bundle, 'run.json'));
    expect(selection).toEqual({ from: [{ name: 'attempt-1', cells: 4 }], overlap: 8 });
    expect((await textsOf(told.bundle)).join('\n')).toContain(
      'the policy was chosen by attempt-1 (4 cells); 8 of them',
    );
    await expect(again(['--selected-from', 'no-such-run'])).rejects.toMatchObject({
      problems: [{ code: 'RB433' }],
    });
  });

  it('make a release INVALID where a bundle admits them', () => {
    const release = { ...planOf({ tasks: 1, initStates: 2 }), purpose: 'release' as const };
    const codes = (selection: RunFacts['selection']) =>
      releaseReasons({ plan: release, run: makeRunFacts({ selection }), baseline: null }).map(
        ({ code }) => code,
      );
    expect(codes({ from: [], overlap: 1 })).toContain('selected_cells');
    expect(codes({ from: [], overlap: 0 })).not.toContain('selected_cells');
    expect(codes(undefined)).not.toContain('selected_cells');
  });
});
