import type { EvidenceKind } from '../../model/plan.ts';
import type { RunFacts } from '../../model/run-facts.ts';
import { gradeOf, SESSION_EVIDENCE } from '../../verdict/release.ts';

type Evidence = EvidenceKind & {
  readonly run: Pick<RunFacts, 'evidenceClass' | 'qualification' | 'collected'>;
};

/** The grade of a run's evidence and what it rests on. Pure. */
export function evidenceText({ run, evidence }: Evidence): string {
  const grade = gradeOf(run, { evidence });
  if (evidence !== undefined)
    return `${grade} (${run.evidenceClass}, by session: the simulator did not confirm which cells ran)`;
  if (run.qualification === undefined || grade === 'exploratory') {
    const why = run.evidenceClass === 'planned' ? ', without a fresh qualification' : '';
    return `${grade} (${run.evidenceClass}${why})`;
  }
  const { id, qualifiedAt, positiveControl } = run.qualification;
  const positive = positiveControl === null ? 'no positive control' : `positive control ${positiveControl}`;
  return `${grade} (${run.evidenceClass}; ${id} of ${qualifiedAt}, ${positive})`;
}

const IMPORTED_LIMIT =
  'The numbers come from files that the measured job wrote: that these episodes ran, with this policy and under the usual settings, is its own word.';

/** What nobody showed about the benchmark itself. Pure. */
export function evidenceLimits({ run, evidence }: Evidence): string[] {
  if (evidence !== undefined) return [SESSION_EVIDENCE];
  if (run.evidenceClass === 'imported') return [IMPORTED_LIMIT];
  if (run.evidenceClass === 'unplanned') {
    const planned = run.collected?.planned ?? null;
    if (planned === null)
      return [
        'These sessions were queued by others: nothing was planned, so nothing is known to be complete.',
      ];
    return [
      `These sessions were queued by others; that ${planned} episodes were planned is the word of whoever collected them.`,
    ];
  }
  if (run.qualification === undefined) {
    return [
      'No fresh qualification: that this benchmark tells good policies from bad ones was not shown (rollout-bench qualify).',
    ];
  }
  if (run.qualification.positiveControl !== null) return [];
  return ['The qualification had no positive control: that a good policy succeeds here was not shown.'];
}
