import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compare } from '../../../src/app/compare.ts';
import { report } from '../../../src/app/report.ts';
import { comparisonSchema } from '../../../src/report/policies/document.ts';
import { planOf, runFactsOf } from '../bundle/bundle-builder.ts';
import { type MeasuredPolicy, policyBundle } from './policy-bundle.ts';
import { called } from './verb-context.ts';

const PLAN = planOf(20);
let workspace: string;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-compare-'));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const bundle = (runId: string, measured: MeasuredPolicy): Promise<string> =>
  policyBundle(workspace, runId, { plan: PLAN, ...measured });

describe('compare', () => {
  it('ranks policies, tells them apart by letters, and writes every rendering', async () => {
    const good = await bundle('r1', { policyRef: 'good', successes: 19 });
    const bad = await bundle('r2', { policyRef: '<b>bad</b>|@org', successes: 3 });
    const close = await bundle('r3', { policyRef: null, successes: 17 });
    const out = join(workspace, 'out');
    const call = await called(['compare', bad, good, close, '--report-dir', out]);
    expect(await compare(call.verb)).toBe(0);
    expect(call.printed()).toContain(
      'good has the highest rate, 95.0%; 1 of 2 others cannot be told from it.',
    );
    const text = readFileSync(join(out, 'comparison.json'), 'utf8');
    const document = comparisonSchema.parse(JSON.parse(text));
    expect(document.policies.map(({ name, successes, groups }) => [name, successes, groups])).toEqual([
      ['good', 19, ['a']],
      ['r3', 17, ['a']],
      ['<b>bad</b>|@org', 3, ['b']],
    ]);
    expect(readdirSync(out).sort()).toEqual([
      'comparison.html',
      'comparison.json',
      'comparison.md',
      'comparison.svg',
      'pairs.csv',
      'policies.csv',
    ]);
    for (const file of ['comparison.html', 'comparison.md', 'comparison.svg'])
      expect(readFileSync(join(out, file), 'utf8')).not.toContain('<b>bad');
    expect(readFileSync(join(out, 'comparison.md'), 'utf8')).not.toMatch(/[|@]+org/);
    expect(readFileSync(join(out, 'comparison.html'), 'utf8')).toContain("script-src 'none'");
    const again = await called(['compare', close, good, bad, '--json']);
    await compare(again.verb);
    const { notes: _own, ...numbers } = comparisonSchema.parse(JSON.parse(again.printed()));
    expect(numbers).toEqual({ ...numbers, policies: document.policies, pairs: document.pairs });
  });

  it('sets several suites side by side, their mean first, with one error over all tables', async () => {
    const suites = ['libero_goal', 'libero_object'] as const;
    const bundles: string[] = [];
    for (const [policyRef, successes] of [
      ['good', [20, 19]],
      ['bad', [20, 4]],
    ] as const)
      for (const [at, suite] of suites.entries())
        bundles.push(
          await bundle(`${policyRef}-${at}`, {
            policyRef,
            successes: successes[at] ?? 0,
            plan: { ...PLAN, suite },
            facts: { fingerprint: { max_steps: 220 + at } },
          }),
        );
    const out = join(workspace, 'out');
    const call = await called(['compare', ...bundles, '--report-dir', out]);
    expect(await compare(call.verb)).toBe(0);
    expect(call.printed()).toMatch(/^mean of libero_goal, libero_object:\ngood has the highest rate, 97\.5%/);
    const document = comparisonSchema.parse(JSON.parse(readFileSync(join(out, 'comparison.json'), 'utf8')));
    expect(document).toMatchObject({
      tables: 3,
      cells: 40,
      suites: [{ suite: 'libero_goal' }, { suite: 'libero_object' }],
    });
    const [mean] = document.pairs;
    // Fifteen cells of forty, all of one suite; each p counts for three tables.
    expect(mean).toMatchObject({ onlyFirst: 15, onlySecond: 0, difference: 0.375, different: true });
    expect(mean?.adjustedP).toBeCloseTo(3 * (mean?.p ?? 0), 12);
    expect(document.suites?.map(({ pairs }) => pairs[0]?.different)).toEqual([false, true]);
    expect(document.policies.map(({ name, bundles: own }) => [name, own.length])).toEqual([
      ['good', 2],
      ['bad', 2],
    ]);
    expect(readdirSync(join(out, 'libero_goal'))).toContain('pairs.csv');
    expect(readFileSync(join(out, 'comparison.html'), 'utf8')).toContain('<h2><bdi>libero_object</bdi></h2>');
    const fewer = await called(['compare', ...bundles.slice(0, 3)]);
    await expect(compare(fewer.verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB675', where: 'bad', value: 'absent: libero_object' }],
    });
  });

  it('refuses other cells and other protocols by name, all at once', async () => {
    const first = await bundle('r1', { policyRef: 'a', successes: 19 });
    const fewer = await bundle('r2', { policyRef: 'b', successes: 15, plan: planOf(17) });
    const steps = { fingerprint: { max_steps: 300 } };
    const longer = await bundle('r3', { policyRef: 'c', successes: 19, facts: steps });
    const call = await called(['compare', first, fewer, longer]);
    const error = await compare(call.verb).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ exitCode: 3, problems: [{ code: 'RB670' }, { code: 'RB671' }] });
    expect(String(error)).toContain('3 cells are missing (t0-i17-r0, t0-i18-r0, t0-i19-r0)');
    expect(String(error)).toContain('differs in max_steps');
  });

  it('finds two protocols that differ in what the first run does not know', async () => {
    const bundles = [null, '2.1', '2.2'].map((simulator, at) =>
      bundle(`r${at}`, { policyRef: `p${at}`, successes: 19, facts: { fingerprint: { simulator } } }),
    );
    const call = await called(['compare', ...(await Promise.all(bundles))]);
    await expect(compare(call.verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB671', where: 'run r2', message: expect.stringContaining('simulator') }],
    });
  });

  it('refuses one policy, the same cells of a policy twice, and a run that is INVALID', async () => {
    const first = await bundle('r1', { policyRef: 'a', successes: 19 });
    const twice = await bundle('r2', { policyRef: 'a', successes: 19 });
    await expect(compare((await called(['compare', first, twice])).verb)).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB673' }],
    });
    const other = await bundle('r3', { policyRef: 'b', successes: 19 });
    await expect(compare((await called(['compare', first, twice, other])).verb)).rejects.toMatchObject({
      exitCode: 5,
      problems: [{ code: 'RB610' }],
    });
    const arms = runFactsOf(PLAN).arms.map((arm) => ({
      ...arm,
      policyRef: 'c',
      changed: 'another checkpoint',
    }));
    const changed = await bundle('r4', { policyRef: 'c', successes: 19, facts: { arms } });
    await expect(compare((await called(['compare', first, changed])).verb)).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB672', where: 'libero_spatial r4' }],
    });
  });

  it('is what report makes of several declared policies: no verdict, and a plan that needs one fails', async () => {
    const needs = { ...PLAN, thresholds: { ...PLAN.thresholds, onInconclusive: 'fail' as const } };
    for (const [plan, code] of [
      [PLAN, 0],
      [needs, 4],
    ] as const) {
      const good = await bundle(`a${code}`, { policyRef: 'good', successes: 19, plan });
      const bad = await bundle(`b${code}`, { policyRef: 'bad', successes: 3, plan });
      const out = join(workspace, `out-${code}`);
      const call = await called(['report', good, bad, '--report-dir', out]);
      expect(await report(call.verb)).toBe(code);
      expect(call.printed()).toContain('good has the highest rate, 95.0%');
      expect(readdirSync(out)).toContain('comparison.html');
    }
    const [nameless, other] = [
      await bundle('c', { policyRef: null, successes: 9 }),
      join(workspace, 'artifacts'),
    ];
    const call = await called(['report', nameless, join(other, 'rollout-bench', 'a0', 'attempt-1')]);
    await expect(report(call.verb)).rejects.toMatchObject({ exitCode: 5, problems: [{ code: 'RB610' }] });
  });

  it('uses nothing of a bundle that was touched', async () => {
    const first = await bundle('r1', { policyRef: 'a', successes: 19 });
    const second = await bundle('r2', { policyRef: 'b', successes: 3 });
    appendFileSync(join(second, 'pages.txt'), 'more');
    await expect(compare((await called(['compare', first, second])).verb)).rejects.toMatchObject({
      exitCode: 5,
      problems: [{ code: 'RB706' }],
    });
  });
});
