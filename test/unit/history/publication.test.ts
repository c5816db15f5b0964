import { describe, expect, test } from 'vitest';
import { badgeOf } from '../../../src/history/badge.ts';
import {
  anchorPath,
  BASELINE_SCHEMA_ID,
  type Baseline,
  baselinePath,
  baselineText,
  newerBaseline,
  parseBaseline,
} from '../../../src/history/baseline.ts';
import { LATEST_PATH, parseLatest, SERIES_POINTS } from '../../../src/history/latest.ts';
import { historyPath, parseHistory } from '../../../src/history/merge.ts';
import { buildPublication, type FileChange, type Publication } from '../../../src/history/publication.ts';
import { historyRecord } from './record.ts';

function baseline(changes: Partial<Baseline['header']> = {}): Baseline {
  const cells = [0, 1].map((initStateId) => ({
    suite: 'libero_spatial',
    taskId: 3,
    initStateId,
    runIndex: 0,
    position: initStateId,
    outcome: 'success' as const,
    steps: initStateId === 0 ? 97 : null,
  }));
  const header = {
    schema: BASELINE_SCHEMA_ID,
    suite: 'libero_spatial',
    branch: 'main',
    runId: 'gh1',
    attempt: 1,
    commit: 'c'.repeat(40),
    planDigest: 'a'.repeat(64),
    bundleSha256: null,
    fingerprint: { simulator: '1.2' },
    policy: null,
    acceptedAt: '2026-01-02T03:04:05Z',
    acceptedBy: 'push',
    reason: null,
    cells: cells.length,
    ...changes,
  } as const;
  return { header, cells };
}

/** A branch in memory. */
function branch(files: Map<string, string> = new Map()) {
  const publish = async (publication: Partial<Publication>): Promise<FileChange[]> => {
    const whole = { records: [], baselines: [], openPulls: null, files: [], ...publication };
    const changes = await buildPublication(whole, async (path) => files.get(path) ?? null);
    for (const { path, content } of changes) if (content !== null) files.set(path, content);
    return changes;
  };
  return { files, publish, latest: () => parseLatest(files.get(LATEST_PATH) ?? null) };
}

describe('the anchor of a branch', () => {
  const file = anchorPath('libero_spatial', 'main');
  const runIn = (files: Map<string, string>) => parseBaseline(file, files.get(file) ?? null)?.header.runId;
  const offered = (of: Baseline, chosen = false) => ({ anchors: [{ baseline: of, chosen }] });

  test('is the first accepted run of a protocol, and stays while later ones are accepted', async () => {
    const { files, publish } = branch();
    await publish(offered(baseline({ runId: 'first' })));
    await publish(offered(baseline({ runId: 'second', fingerprint: { simulator: '1.2', later: 1 } })));
    expect(runIn(files)).toBe('first');
    expect([...files.keys()]).not.toContain(baselinePath('libero_spatial', 'main'));
  });

  test('begins anew with another protocol or other cells, and stays when the suite is extended', async () => {
    const { files, publish } = branch();
    await publish(offered(baseline({ runId: 'first' })));
    await publish(offered(baseline({ runId: 'other', fingerprint: { simulator: '2.0' } })));
    expect(runIn(files)).toBe('other');
    const known = baseline({ runId: 'more', fingerprint: { simulator: '2.0' } });
    const cells = [...known.cells, ...known.cells.map((cell) => ({ ...cell, taskId: 4 }))];
    await publish(offered({ header: { ...known.header, cells: cells.length }, cells }));
    expect(runIn(files)).toBe('other');
    const moved = known.cells.map((cell) => ({ ...cell, taskId: 4 }));
    await publish(offered({ header: { ...known.header, runId: 'moved' }, cells: moved }));
    expect(runIn(files)).toBe('moved');
  });

  test('is replaced by a release or by a person, and never by an older word', async () => {
    const { files, publish } = branch();
    await publish(offered(baseline({ runId: 'first' })));
    await publish(offered(baseline({ runId: 'release', acceptedAt: '2026-03-01T00:00:00Z' }), true));
    await publish(offered(baseline({ runId: 'older', acceptedAt: '2026-02-01T00:00:00Z' }), true));
    expect(runIn(files)).toBe('release');
  });
});

describe('a publication', () => {
  test('writes history, latest.json and badge of each suite and branch', async () => {
    const { files, publish } = branch();
    await publish({ records: [historyRecord(), historyRecord({ suite: 'libero_goal' })] });
    expect([...files.keys()].sort()).toEqual([
      'badges/libero_goal/main.json',
      'badges/libero_spatial/main.json',
      'history/libero_goal/main.jsonl',
      'history/libero_spatial/main.jsonl',
      'latest.json',
    ]);
  });

  test('leaves other series in latest.json and sets its own from the whole history', async () => {
    const { publish, latest } = branch();
    await publish({ records: [historyRecord({ branch: 'release/1' })] });
    for (let n = 0; n < SERIES_POINTS + 5; n += 1) {
      await publish({
        records: [
          historyRecord({
            runId: `gh${n}`,
            finishedAt: new Date(1_767_000_000_000 + n * 60_000).toISOString(),
          }),
        ],
      });
    }
    expect(latest().series.map(({ branch: name, points }) => [name, points.length])).toEqual([
      ['main', SERIES_POINTS],
      ['release/1', 1],
    ]);
    expect(latest().series[0]?.latest.runId).toBe(`gh${SERIES_POINTS + 4}`);
  });

  test('an older run that publishes late does not become the latest', async () => {
    const { publish, latest, files } = branch();
    await publish({
      records: [historyRecord({ runId: 'new', finishedAt: '2026-02-01T00:00:00Z', successes: 50 })],
    });
    await publish({ records: [historyRecord({ runId: 'old', finishedAt: '2026-01-01T00:00:00Z' })] });
    expect(latest().series[0]?.latest.runId).toBe('new');
    expect(files.get('badges/libero_spatial/main.json')).toContain('50.0%');
    const path = historyPath('libero_spatial', 'main');
    expect(parseHistory(path, files.get(path) ?? null).map(({ runId }) => runId)).toEqual(['old', 'new']);
  });

  test('a baseline is named in its series and stays there', async () => {
    const { publish, latest } = branch();
    await publish({ records: [historyRecord()], baselines: [baseline()] });
    await publish({ records: [historyRecord({ runId: 'gh2', finishedAt: '2026-03-01T00:00:00Z' })] });
    expect(latest().series[0]?.baseline?.runId).toBe('gh1');
    await publish({
      baselines: [
        baseline({
          runId: 'gh2',
          acceptedAt: '2026-03-01T00:00:00Z',
          acceptedBy: 'manual',
          reason: 'new camera',
        }),
      ],
    });
    expect(latest().series[0]?.baseline?.runId).toBe('gh2');
  });

  test('an older baseline never replaces a newer one', async () => {
    const { publish, files } = branch();
    await publish({ baselines: [baseline({ runId: 'newer', acceptedAt: '2026-05-01T00:00:00Z' })] });
    await publish({ baselines: [baseline({ runId: 'older', acceptedAt: '2026-04-01T00:00:00Z' })] });
    const path = baselinePath('libero_spatial', 'main');
    expect(parseBaseline(path, files.get(path) ?? null)?.header.runId).toBe('newer');
  });

  test('the page is made from everything the branch knows afterwards', async () => {
    const { publish } = branch();
    await publish({ records: [historyRecord({ suite: 'libero_goal' })] });
    const changes = await publish({
      records: [historyRecord()],
      files: [{ path: 'reports/x.md', content: 'x' }],
      site: ({ series }) => [{ path: 'index.html', content: series.map(({ suite }) => suite).join() }],
    });
    expect(changes.slice(-2)).toEqual([
      { path: 'reports/x.md', content: 'x' },
      { path: 'index.html', content: 'libero_goal,libero_spatial' },
    ]);
  });

  test('an unreadable latest.json or baseline stops everything', async () => {
    const { publish } = branch(new Map([[LATEST_PATH, '{}']]));
    await expect(publish({ records: [historyRecord()] })).rejects.toThrow(/RB810 latest\.json/);
    const broken = branch(new Map([[baselinePath('libero_spatial', 'main'), 'x\n']]));
    await expect(broken.publish({ baselines: [baseline()] })).rejects.toThrow(/RB810 baselines/);
  });
});

describe('the baseline file', () => {
  test('comes back as it was written', () => {
    expect(parseBaseline('b', baselineText(baseline()))).toEqual(baseline());
    expect(parseBaseline('b', null)).toBeNull();
  });

  test('with a missing cell is refused', () => {
    const lines = baselineText(baseline()).split('\n');
    expect(() => parseBaseline('b', `${lines.slice(0, 2).join('\n')}\n`)).toThrow(
      /RB810 b: holds 1 cells, its first line says 2/,
    );
  });

  test('the newer of two does not depend on who asks', () => {
    const one = baseline({ runId: 'a' });
    const two = baseline({ runId: 'b' });
    expect(newerBaseline(one, two)).toBe(newerBaseline(two, one));
    expect(newerBaseline(null, one)).toBe(one);
  });
});

describe('a pull request', () => {
  const pull = (number: number) =>
    historyRecord({ branch: `pull/${number}`, pullRequest: number, runId: `r${number}` });
  const files = [
    { path: 'reports/libero_spatial/pull~2f7/report.html', content: 'page' },
    { path: 'reports/libero_spatial/pull~2f7/charts/tasks.svg', content: 'chart' },
  ];

  test('that is closed leaves the branch with the next publication, with all of its files', async () => {
    const { publish, latest } = branch();
    await publish({ records: [historyRecord({ branch: 'main' })] });
    await publish({ records: [pull(7)], files });
    await publish({ records: [pull(8)] });
    const changes = await publish({ records: [pull(9)], openPulls: new Set([8]) });
    // The one that is published stays, closed or not.
    expect(latest().series.map((series) => series.branch)).toEqual(['main', 'pull/8', 'pull/9']);
    expect(changes.filter(({ content }) => content === null).map(({ path }) => path)).toEqual([
      'history/libero_spatial/pull~2f7.jsonl',
      'badges/libero_spatial/pull~2f7.json',
      'reports/libero_spatial/pull~2f7/report.html',
      'reports/libero_spatial/pull~2f7/README.md',
      'reports/libero_spatial/pull~2f7/charts/tasks.svg',
    ]);
  });

  test('stays where nobody can tell which are open', async () => {
    const { publish, latest } = branch();
    await publish({ records: [pull(7)] });
    await publish({ records: [pull(8)], openPulls: null });
    expect(latest().series).toHaveLength(2);
  });

  test('is told from a branch of the same name by what was measured', async () => {
    const { publish, latest } = branch();
    await publish({ records: [historyRecord({ branch: 'pull/7', pullRequest: null })] });
    await publish({ records: [pull(8)], openPulls: new Set() });
    expect(latest().series).toHaveLength(2);
  });
});

describe('the badge', () => {
  test('of the first accepted run says what it is, and nothing of a verdict', () => {
    const first = historyRecord({ verdict: 'INCONCLUSIVE' });
    expect(badgeOf(first, true)).toMatchObject({ message: '93.0% baseline set', color: 'blue' });
    expect(badgeOf(first)).toMatchObject({ message: '93.0% INCONCLUSIVE', color: 'yellow' });
    expect(badgeOf(historyRecord(), true)).toMatchObject({ message: '93.0% PASS' });
  });

  test('shows rate and verdict; without valid episodes never 0 %', () => {
    expect(badgeOf(historyRecord())).toEqual({
      schemaVersion: 1,
      label: 'libero_spatial',
      message: '93.0% PASS',
      color: 'brightgreen',
    });
    expect(badgeOf(historyRecord({ valid: 0, successes: 0, rate: null, verdict: 'INVALID' })).message).toBe(
      'INVALID',
    );
  });
});
