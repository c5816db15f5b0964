import type { IndexPoint, IndexSeries } from '../../../../src/report/page/index-data.ts';
import type { IndexInput } from '../../../../src/report/page/index-page.ts';
import { wilson } from '../../../../src/stats/wilson.ts';
import { LANGUAGES } from './sample-run.ts';

const DAY = 86_400_000;
const LAST = Date.parse('2026-11-28T02:14:00.000Z');

export interface HistoryShape {
  readonly suites: readonly string[];
  readonly branches: readonly string[];
  readonly points: number;
  readonly tasks?: number;
}

/** Nightly runs with a slow drift, one failed run, two missing nights and a change of policy. No clock, no chance. */
export function sampleHistory({ suites, branches, points, tasks = 10 }: HistoryShape): IndexInput {
  const series = suites.flatMap((suite, order) =>
    branches.map((branch, side) => sampleSeries({ suite, branch, points, tasks, shift: order * 3 + side })),
  );
  return { name: 'robots/policies', writtenAt: '2026-11-28T02:20:00.000Z', leaderboard: null, series };
}

function sampleSeries(shape: {
  suite: string;
  branch: string;
  points: number;
  tasks: number;
  shift: number;
}): IndexSeries {
  const { suite, branch, points, shift } = shape;
  const list: IndexPoint[] = [];
  for (let index = 0; index < points; index += 1) {
    // Two nights are missing before the last ten.
    const nightsAgo = points - 1 - index + (index < points - 10 ? 2 : 0);
    list.push(samplePoint(shape, index, LAST - nightsAgo * DAY - shift * 600_000));
  }
  const drifting = shift % 3 === 0;
  return {
    suite,
    branch,
    pullRequest: null,
    history: `history/${suite}/${branch}.jsonl`,
    points: list,
    baseline: { runId: list[2]?.runId ?? '', commit: 'abc1234' },
    alarm: drifting
      ? 'The success rate has drifted: −4.6 points against main at abc1234 over the last 9 runs (CUSUM at 5.1, alarm at 4).'
      : null,
  };
}

function samplePoint(
  shape: { suite: string; tasks: number; shift: number; points: number },
  index: number,
  at: number,
): IndexPoint {
  const { suite, tasks, shift, points } = shape;
  const failed = index === points - 14;
  const drift = shift % 3 === 0 && index > points - 8 ? 3 : 0;
  const counts = Array.from({ length: tasks }, (_, taskId) => {
    const wobble = Math.imul(index * 31 + taskId * 17 + shift * 7, 2_654_435_761) >>> 30;
    const successes = Math.max(
      0,
      50 - wobble - (Math.imul(index + shift, 40_503) & 1) - drift - (taskId === 4 ? 6 : 0),
    );
    return {
      taskId,
      language: LANGUAGES[taskId % LANGUAGES.length] ?? '',
      successes: failed ? 0 : successes,
      valid: failed ? 0 : 50,
    };
  });
  const successes = counts.reduce((sum, task) => sum + task.successes, 0);
  const valid = counts.reduce((sum, task) => sum + task.valid, 0);
  const interval = wilson(successes, valid);
  return {
    runId: `gh${1700 + index}-nightly-${suite}`,
    attempt: 1,
    finishedAt: new Date(at).toISOString(),
    commit: `3f9c2d1a77${String(index).padStart(4, '0')}`,
    verdict: failed ? 'INVALID' : drift > 0 ? 'FAIL' : index % 17 === 5 ? 'INCONCLUSIVE' : 'PASS',
    planned: tasks * 50,
    valid,
    successes,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    runUrl: `https://github.com/robots/policies/actions/runs/${1700 + index}`,
    reportUrl: null,
    policy: index > points / 2 ? 'pi05@8d21f0' : 'pi05@1a2b3c',
    alarm: shift % 3 === 0 && index > points - 4,
    tasks: counts,
  };
}
