import type { EpisodeRecord } from '../../src/model/episode-record.ts';
import { commentMarkdown } from '../../src/report/comment/comment.ts';
import { comparisonView } from '../../src/report/comment/comparison.ts';
import { comparisonReport } from '../../src/report/view/comparison-view.ts';
import { reportView } from '../../src/report/view/report-view.ts';
import { assess } from '../../src/verdict/from-records.ts';
import { makePlan } from '../../test/unit/outcome/plan-builder.ts';
import { LANGUAGES } from '../../test/unit/report/page/sample-run.ts';
import { makeReportInput } from '../../test/unit/report/report-builder.ts';
import { makeRecord } from '../../test/unit/results/record-builder.ts';

const STATES = 10;
/** Initial states that fail, by task: the candidate loses task 4, and one state elsewhere each way. */
const CANDIDATE_FAILS: Readonly<Record<number, readonly number[]>> = {
  4: [0, 1, 3, 4, 6, 7, 9],
  6: [2],
  8: [5],
};
const BASELINE_FAILS: Readonly<Record<number, readonly number[]>> = { 4: [3], 1: [7], 8: [5] };

function recordsOf(fails: Readonly<Record<number, readonly number[]>>): EpisodeRecord[] {
  return LANGUAGES.flatMap((language, taskId) =>
    Array.from({ length: STATES }, (_, initStateId) =>
      makeRecord(
        taskId * STATES + initStateId,
        fails[taskId]?.includes(initStateId) ? 'failure' : 'success',
        {
          taskId,
          initStateId,
          language,
          steps: fails[taskId]?.includes(initStateId) ? 220 : 60 + 3 * taskId + initStateId,
        },
      ),
    ),
  );
}

/**
 * The comment of an invented run of ten tasks on ten initial states, made by the code that makes real ones, so that
 * its numbers are right and its layout is today's. The marker on the first line and the links are left out.
 */
export function sampleComment(): string {
  const records = recordsOf(CANDIDATE_FAILS);
  const baselineRecords = recordsOf(BASELINE_FAILS);
  const plan = makePlan({
    tasks: LANGUAGES.map((language, taskId) => ({ taskId, language })),
    initStates: Array.from({ length: STATES }, (_, state) => state),
    cells: records.map(({ taskId, initStateId, runIndex, arm }) => ({ taskId, initStateId, runIndex, arm })),
  });
  const name = 'main at 4f1c09d2ab';
  const assessment = assess(plan, records, {
    baseline: { kind: 'records', name, records: baselineRecords, differing: [] },
  });
  const comparison = comparisonReport(assessment);
  const input = makeReportInput({
    records,
    plan,
    input: { decision: assessment.decision, provisional: false, audience: 'published', comparison },
  });
  const text = commentMarkdown({
    average: null,
    marker: { key: 'libero_spatial', runId: 1, attempt: 1, head: '9b2e61c07d35', state: 'finished' },
    verdict: assessment.decision.verdict,
    suites: [
      {
        view: reportView(input),
        comparison: comparisonView(input, { comparison, baseline: baselineRecords, links: [] }),
        pageUrl: null,
      },
    ],
    runUrl: null,
    artifactUrl: null,
    reportUrl: null,
    unauthenticated: false,
    warnings: [],
    rerun: (suite, episode) =>
      `rollout-bench run --workspace … --suite ${suite} --tasks ${episode.taskId} --init-states ${episode.initStateId}`,
  });
  const shown = text.split('\n').slice(1).join('\n').trim();
  // Headings of a quotation would stand in the README's table of contents.
  return shown.replace(/^#+ (.*)$/gm, '**$1**').replace(/\n{3,}/g, '\n\n');
}
