import { idRanges } from '../../base/id-ranges.ts';
import { EXIT, type Problem, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Plan } from '../../model/plan.ts';
import type { Reason } from '../../model/verdict.ts';
import { prepareCount, prepareRecords } from '../../verdict/baseline.ts';
import { foreseenReasons } from '../../verdict/baseline-foresight.ts';
import { stopBaselineDigest, stopBaselineOf } from '../../verdict/early-stop-baseline.ts';
import type { Fingerprint } from '../../verdict/fingerprint.ts';
import { droppedTasks } from '../../verdict/nothing-shown.ts';
import { type BaselineFile, readBaselineFile } from '../runs/read-baseline-file.ts';
import { type StopBaselineAtHand, type UsableStopBaseline, usableStopBaseline } from './early-stop-rules.ts';

type Content = Extract<BaselineFile, { kind: 'records' | 'counts' }>;

/** What is named by path to compare with, read before anything runs. */
export interface NamedBaseline {
  /** The baseline; null when none is named by path. */
  readonly content: Content | null;
  /** The same for an early stop, null when the run may not stop early or no cells are known. */
  readonly stop: StopBaselineAtHand | null;
  readonly anchor: Content | null;
}

type Wanted = Pick<Inputs, 'baseline' | 'anchor' | 'mode' | 'earlyStop'>;

/**
 * Reads the baseline and the anchor that are named by path. A mistyped path or another file must not cost a whole run
 * before it makes the verdict INVALID. Nothing is read where this job does not decide.
 * @throws RbError RB612, RB640 (exit 2).
 */
export async function namedBaseline(wanted: Wanted, suites: readonly string[]): Promise<NamedBaseline> {
  const { named, problems } = await lookAtBaseline(wanted, suites);
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  return named;
}

/**
 * The same for whoever only looks: nothing is thrown.
 * @param suites null: not known yet.
 */
export async function lookAtBaseline(
  { baseline, anchor, mode, earlyStop }: Wanted,
  suites: readonly string[] | null,
): Promise<{ readonly named: NamedBaseline; readonly problems: readonly Problem[] }> {
  const decides = mode !== 'run';
  const asBaseline = decides || earlyStop ? await lookAtFile('baseline', baseline, suites) : NOTHING;
  const asAnchor = decides ? await lookAtFile('anchor', anchor, suites) : NOTHING;
  const { content } = asBaseline;
  const kept = content?.kind === 'records' && earlyStop ? stopBaselineOf(content.recorded) : null;
  const stop = kept === null ? null : { kept, digest: stopBaselineDigest(kept) };
  return {
    named: { content, stop, anchor: asAnchor.content },
    problems: [...asBaseline.problems, ...asAnchor.problems],
  };
}

type Role = 'baseline' | 'anchor';

interface Look {
  readonly content: Content | null;
  readonly problems: readonly Problem[];
}

const NOTHING: Look = { content: null, problems: [] };

async function lookAtFile(role: Role, given: Inputs[Role], suites: readonly string[] | null): Promise<Look> {
  if (given.kind !== 'path') return NOTHING;
  const file = await readBaselineFile(given.path);
  if (file.kind === 'absent' || file.kind === 'unreadable')
    return { content: null, problems: [unreadable(role, given.path, file)] };
  if (role === 'anchor' && file.kind === 'counts') {
    const why = 'it holds counts and no cells, which an anchor needs';
    return { content: null, problems: [unreadable(role, given.path, { kind: 'unreadable', name: '', why })] };
  }
  const problems = suites === null ? [] : suiteProblems(role, given.path, file, suites);
  return { content: file, problems };
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
  return foreseenReasons(plan, prepared).map((reason) => ({
    code: 'RB641',
    where: `input ${role}`,
    message: reason.text,
    value: name,
    fix: cureOf(reason, plan.suite, content),
    consequence: 'The run would be measured whole and then be INVALID.',
    severity: 'fatal',
  }));
}

/** Warns of tasks of the named baseline that are not planned; the run may be measured all the same, for it can FAIL. Pure. */
export function droppedProblems(plan: Plan, named: NamedBaseline): Problem[] {
  const { content } = named;
  const dropped = content?.kind === 'records' ? droppedTasks(plan, content.recorded.records) : [];
  if (dropped.length === 0 || plan.thresholds.allowDroppedTasks === true) return [];
  return [
    {
      code: 'RB650',
      where: 'input tasks',
      message: `the plan leaves out task ${idRanges(dropped.map(({ taskId }) => taskId))} of the baseline.`,
      fix: 'Plan these too, or say allow-dropped-tasks when it is meant.',
      consequence: 'The verdict cannot be PASS.',
      severity: 'warning',
    },
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

function suiteProblems(role: Role, given: string, content: Content, suites: readonly string[]): Problem[] {
  const held =
    content.kind === 'counts'
      ? [content.counted.suite]
      : [...new Set(content.recorded.records.map(({ suite }) => suite))].sort();
  const others = suites.filter((suite) => !held.includes(suite));
  if (others.length === 0 || held.length === 0) return [];
  return [
    {
      code: 'RB640',
      where: `input ${role}`,
      message: `it is of suite ${held.join(', ')}, and ${others.join(', ')} is asked for.`,
      value: given,
      fix:
        suites.length > 1
          ? 'A baseline by path belongs to one suite: run one suite at a time, or compare with accepted runs (auto).'
          : 'Name a baseline of the suite that is asked for.',
      consequence: 'The run would be measured whole and then be INVALID.',
      severity: 'fatal',
    },
  ];
}

function unreadable(
  role: Role,
  given: string,
  file: Extract<BaselineFile, { kind: 'absent' | 'unreadable' }>,
): Problem {
  return {
    code: 'RB612',
    where: `input ${role}`,
    message:
      file.kind === 'absent'
        ? `nothing is at this path${role === 'baseline' ? ', and it is no run of this host' : ''}.`
        : `the ${role} cannot be read: ${file.why}.`,
    value: given,
    fix:
      role === 'anchor'
        ? 'Give a bundle folder, episodes.jsonl or an accepted baseline, auto or none.'
        : 'Give a bundle folder, results.json, episodes.jsonl or an accepted baseline, the id of a run, a count such as 486/500, auto or none.',
    severity: 'fatal',
  };
}
