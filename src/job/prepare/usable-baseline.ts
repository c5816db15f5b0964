import { idRanges } from '../../base/id-ranges.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { Plan } from '../../model/plan.ts';
import type { Reason } from '../../model/verdict.ts';
import { type PreparedBaseline, prepareCount, prepareRecords } from '../../verdict/baseline.ts';
import { foreseenReasons } from '../../verdict/baseline-foresight.ts';
import { recordsOfStopBaseline, type StopBaseline } from '../../verdict/early-stop-baseline.ts';
import type { Fingerprint } from '../../verdict/fingerprint.ts';
import { droppedTasks } from '../../verdict/nothing-shown.ts';
import type { Content, NamedBaseline, Role, StopBaselineAtHand } from './named-baseline.ts';

/** A recorded baseline at hand, checked against a plan. */
export interface UsableStopBaseline {
  readonly kept: StopBaseline;
  readonly prepared: PreparedBaseline;
  readonly records: readonly EpisodeRecord[];
}

/**
 * Checks the named baseline against the plan, before anything is queued.
 * @returns what an early stop is looked at with, null without one.
 * @throws RbError RB641 (exit 2) when the verdict could only be INVALID: other cells, tasks or protocol, duplicates.
 */
export function requireUsable(
  plan: Plan,
  fingerprint: Fingerprint,
  named: NamedBaseline,
): UsableStopBaseline | null {
  const problems = (['baseline', 'anchor'] as const).flatMap((role) => {
    const content = role === 'anchor' ? named.anchor : named.content;
    return content === null ? [] : usabilityProblems(plan, fingerprint, { role, content });
  });
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  return named.stop === null ? null : usableStopBaseline(plan, fingerprint, named.stop);
}

function usabilityProblems(
  plan: Plan,
  fingerprint: Fingerprint,
  { role, content }: { readonly role: Role; readonly content: Content },
): Problem[] {
  const prepared =
    content.kind === 'counts'
      ? prepareCount(plan, fingerprint, content.counted)
      : prepareRecords(plan, fingerprint, content.recorded);
  const name = content.kind === 'counts' ? content.counted.name : content.recorded.name;
  return foreseenReasons(plan, prepared).map((reason) =>
    problemOf('RB641', {
      where: `input ${role}`,
      message: reason.text,
      value: name,
      fix: cureOf(reason, plan.suite, content),
      consequence: 'The run would be measured whole and then be INVALID.',
    }),
  );
}

/** Warns of tasks of the named baseline that are not planned; the run may be measured all the same, for it can FAIL. Pure. */
export function droppedProblems(plan: Plan, named: NamedBaseline): Problem[] {
  const { content } = named;
  const dropped = content?.kind === 'records' ? droppedTasks(plan, content.recorded.records) : [];
  if (dropped.length === 0 || plan.thresholds.allowDroppedTasks === true) return [];
  return [
    problemOf('RB650', {
      where: 'input tasks',
      message: `the plan leaves out task ${idRanges(dropped.map(({ taskId }) => taskId))} of the baseline.`,
      consequence: 'The verdict cannot be PASS.',
    }),
  ];
}

function cureOf({ code }: Reason, suite: string, content: Content): string {
  if (code === 'fingerprint_differs')
    return 'Measure with the settings and tasks of the baseline, or name one that was measured with these.';
  if (content.kind === 'counts') return 'Plan the tasks that it counts, or name another baseline.';
  const cells = content.recorded.records.filter((record) => record.suite === suite);
  if (cells.length === 0 || code === 'baseline_duplicate' || code === 'baseline_impossible')
    return 'Name another baseline.';
  const tasks = idRanges(cells.map(({ taskId }) => taskId));
  const states = idRanges(cells.map(({ initStateId }) => initStateId));
  const repeats = Math.max(...cells.map(({ runIndex }) => runIndex)) + 1;
  const runs = repeats === 1 ? '' : `, repeats ${repeats}`;
  return `Plan no more than it holds (tasks ${tasks}, init-states ${states}${runs}), or name a baseline that holds the plan.`;
}

/** The baseline at hand as a run of this plan is looked at with; `requireUsable` has let it pass. Pure. */
function usableStopBaseline(
  plan: Plan,
  fingerprint: Fingerprint,
  atHand: StopBaselineAtHand,
): UsableStopBaseline {
  const recorded = recordsOfStopBaseline(atHand.kept, plan.benchmark);
  const prepared = prepareRecords(plan, fingerprint, recorded);
  return { kept: atHand.kept, prepared, records: recorded.records };
}
