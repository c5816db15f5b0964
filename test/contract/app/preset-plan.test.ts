import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plan } from '../../../src/app/plan.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let host: Host;
beforeAll(async () => {
  host = await startHost({ startWatchdog: false });
});
afterAll(() => host.stop());

async function planned(...more: readonly string[]): Promise<string> {
  const line = ['plan', '--workspace', host.workspace, '--suite', 'libero_spatial', ...more];
  const { verb, printed } = await called(line);
  expect(await plan(verb)).toBe(0);
  return printed();
}

describe('plan with a preset', () => {
  it('says what it means on this suite: what it sets, episodes, time and the smallest visible drop', async () => {
    const text = (await planned('--preset', 'pr', '--init-states', '0-4')).replace(/ +/g, ' ');
    expect(text).toContain('preset pr: the cells of a night');
    expect(text).toMatch(/it sets purpose pr, .*tasks all, repeats 1.*max-regression 10%/);
    expect(text).toContain('given instead init-states (input)');
    expect(text).toContain('episodes 50 = 10 tasks x 5 initial states (0-4)');
    expect(text).toContain(
      'expected time unknown: no valid episode of an earlier run here; 50 min if an episode takes 60 s',
    );
    expect(text).toMatch(/visible drop \d+\.\d points over the suite, .* 80 % power/);
  });

  it('gives a pull request the cells of the night, and the release more of the same', async () => {
    const cellsOf = async (preset: string): Promise<string[]> => {
      const [entry] = JSON.parse(await planned('--preset', preset, '--json'));
      return entry.plan.cells.map((cell: unknown) => JSON.stringify(cell)).toSorted();
    };
    const night = await cellsOf('nightly');
    expect(night).toHaveLength(100);
    expect(await cellsOf('pr')).toEqual(night);
    expect(await cellsOf('release')).toEqual(expect.arrayContaining(night));
    expect(night).toEqual(expect.arrayContaining(await cellsOf('smoke')));
  });
});
