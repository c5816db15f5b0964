import { plainLine } from './text/escape.ts';
import type { ReportView } from './view/report-view.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** GitHub shows ten of each level per step and drops the rest. */
const PER_LEVEL = 10;
const TITLE_LIMIT = 255;

/**
 * What a workflow run should show beside its log: the verdict, warnings, error codes and the worst task. At most ten
 * of a level; the last of a full level says how many more there are.
 */
export function annotationsOf(view: ReportView): readonly Annotation[] {
  const errors: Annotation[] = [];
  const warnings: Annotation[] = view.warnings.map((text) => annotation('warning', view.suite, text));
  const level = view.verdict === 'PASS' ? 'notice' : view.verdict === 'INCONCLUSIVE' ? 'warning' : 'error';
  const verdict = annotation(
    level,
    `${view.suite}: ${view.verdict}`,
    view.reasons.join(' ') || 'no rule applied',
  );
  if (level === 'error') errors.push(verdict);
  for (const code of view.failures.codes) {
    const message = `${code.episodes} episodes, ${code.sessions} sessions: ${code.message || 'no message'}`;
    warnings.push(annotation('warning', `${view.suite}: ${code.code}`, message));
  }
  const notices = view.arms.flatMap((arm) =>
    arm.worstTask === null
      ? []
      : [annotation('notice', `${view.suite}: lowest task of ${arm.arm}`, worstText(arm.worstTask))],
  );
  const first = level === 'error' ? [] : [verdict];
  return [
    ...capped(errors),
    ...capped(level === 'warning' ? [...first, ...warnings] : warnings),
    ...capped(level === 'notice' ? [...first, ...notices] : notices),
  ];
}

function worstText(task: {
  readonly taskId: number;
  readonly language: string;
  readonly rate: string;
}): string {
  return `task ${task.taskId} (${task.language}): ${task.rate}`;
}

function annotation(level: Annotation['level'], title: string, message: string): Annotation {
  return { level, title: plainLine(title, TITLE_LIMIT), message: plainLine(message, 2_000) };
}

function capped(list: readonly Annotation[]): Annotation[] {
  const last = list[PER_LEVEL - 1];
  if (list.length <= PER_LEVEL || last === undefined) return [...list];
  const more = list.length - PER_LEVEL + 1;
  return [
    ...list.slice(0, PER_LEVEL - 1),
    { ...last, title: `${more} more`, message: 'They are in the report.' },
  ];
}
