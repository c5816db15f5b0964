import type { Verdict } from '../../model/verdict.ts';
import { overallVerdict } from '../../verdict/overall.ts';
import { type AverageOfSuites, decideTogether } from '../../verdict/several-suites.ts';
import { type AssessedSuite, withDecision } from './assess-suite.ts';

/** Suites of one report, judged together: what each alone would call a FAIL has to show among all of them. Pure. */
export function judgeTogether(suites: readonly AssessedSuite[]): AssessedSuite[] {
  const { decisions, average } = decideTogether(
    suites.map(({ measurement, assessment }) => ({
      suite: measurement.plan.suite,
      decision: assessment.decision,
      gates: assessment.gates,
      // Where a run ends by its data, the pairs it has are no fixed sample.
      strata: assessment.stop === null ? (assessment.paired?.strata ?? null) : null,
      margin: measurement.plan.thresholds.maxRegression,
    })),
  );
  return suites.map((suite, index) => ({
    ...withDecision(suite, decisions[index] ?? suite.assessment.decision),
    average,
  }));
}

/** The average that suites were judged with; null without one. */
export function averageOf(suites: readonly AssessedSuite[]): AverageOfSuites | null {
  return suites[0]?.average ?? null;
}

/** The verdict of a report: the worst of its suites and of their average. Null without any suite. Pure. */
export function verdictOf(suites: readonly AssessedSuite[]): Verdict | null {
  const average = averageOf(suites);
  return overallVerdict([
    ...suites.map(({ decision }) => decision),
    ...(average === null ? [] : [average.decision]),
  ]);
}
