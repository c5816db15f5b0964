import type { EpisodeRecord } from '../../../src/model/episode-record.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { RunFacts } from '../../../src/model/run-facts.ts';
import type { ReportInput } from '../../../src/report/view/report-input.ts';
import { type ReportView, reportView } from '../../../src/report/view/report-view.ts';
import { aggregate } from '../../../src/results/aggregate.ts';
import { makePlan } from '../outcome/plan-builder.ts';
import { makeRunFacts } from '../results/record-builder.ts';

export interface Parts {
  readonly records: readonly EpisodeRecord[];
  readonly plan?: Partial<Plan>;
  readonly run?: Partial<RunFacts>;
  readonly input?: Partial<ReportInput>;
}

/** A report input over real aggregation; languages come from the records. */
export function makeReportInput({ records, plan = {}, run = {}, input = {} }: Parts): ReportInput {
  const languages = new Map(records.map((record) => [record.taskId, record.language]));
  const fullPlan = makePlan({
    tasks: [...languages].map(([taskId, language]) => ({ taskId, language })),
    initStates: [...new Set(records.map((record) => record.initStateId))],
    cells: records.map(({ taskId, initStateId, runIndex, arm }) => ({ taskId, initStateId, runIndex, arm })),
    ...plan,
  });
  return {
    results: aggregate({ plan: fullPlan, records, run: makeRunFacts(run), journal: [] }),
    records,
    decision: {
      verdict: 'PASS',
      reasons: [{ code: 'floor_reached', text: '2/3 = 66.7% reaches.' }],
      warnings: [],
    },
    comparison: null,
    average: null,
    heldOut: null,
    provisional: true,
    audience: 'workspace',
    bundleDir: null,
    ...input,
  };
}

export function makeView(parts: Parts): ReportView {
  return reportView(makeReportInput(parts));
}
