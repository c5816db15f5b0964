import { shellWord } from '../../base/shell-word.ts';
import { type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { LATE_ANSWER_CURE, lateAnswerText } from '../../outcome/late-answer.ts';
import { isCellTarget } from '../../plan/ids.ts';
import { leftOvers, type QueueEntry, standing, targetsInUse } from '../../queue/machine/snapshot.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import { sliceBlockList } from '../../workspace/block-list.ts';
import { isMapping } from '../../workspace/shape.ts';
import { addWrittenTargets } from '../../workspace/target-edits.ts';
import type { TargetEntry } from '../../workspace/targets.ts';

/**
 * Seconds that the runtime's pure Python YAML spends on one megabyte: with each session it reads SESSIONS.md eleven times
 * and writes it six times (measured: 29 s at 1.0 MB, 93 to 100 s at 2.4 MB, 175 to 205 s at 5.2 MB), LOG.md once each.
 */
const SESSIONS_SECONDS_PER_MB = 36;
const LOG_SECONDS_PER_MB = 4;
const WORTH_MENTIONING_S = 1;
/** Older failures may be of another host's setup. */
const LATEST_LOOKED_AT = 50;

/** What the entries and the size of SESSIONS.md do to a benchmark. Pure; `nowMs` judges what is left over. */
export function sessionsFileProblems(text: string, nowMs: number): Problem[] {
  const snapshot = readSessionsText(text);
  const stale = leftOvers(snapshot, { nowMs, slowestTransitionMs: 0 }).map(
    (entry): Problem =>
      problemOf('RB225', {
        where: `SESSIONS.md ${entry.id}`,
        message: `it is ${entry.status} since ${entry.updatedAt ?? 'an unknown time'}, longer than that state can last.`,
        value: entry.status,
        consequence:
          'The runtime never takes such an entry up again; it may also hide that no watchdog runs.',
      }),
  );
  const finished = snapshot.entries.filter(({ status }) => standing(status) === 'terminal').length;
  const cost = (snapshot.bytes / 1e6) * SESSIONS_SECONDS_PER_MB;
  const found = [...stale, ...lateAnswers(snapshot.entries)];
  if (cost < WORTH_MENTIONING_S) return found;
  return [...found, sizeProblem(snapshot.bytes, { all: snapshot.entries.length, finished }, cost)];
}

/** Sessions whose target answered later than the runtime waits; their texts name another step than the slow one. */
function lateAnswers(entries: readonly QueueEntry[]): Problem[] {
  const late = entries
    .filter(({ status }) => status === 'failed')
    .slice(-LATEST_LOOKED_AT)
    // Parsing each entry would cost seconds; without lines of its own it was parsed already.
    .filter((entry) => entry.lines()?.includes('target RPC') ?? true)
    .map((entry) => ({ id: entry.id, text: lateAnswerText(errorOf(entry.body())) }))
    .filter(({ text }) => text !== null);
  const last = late.at(-1);
  if (last === undefined) return [];
  return [
    problemOf('RB364', {
      where: `SESSIONS.md ${last.id}`,
      message: `${last.text ?? ''}.`,
      value: `${late.length} of the last failed sessions ended so`,
      fix: `To make it fast enough, ${LATE_ANSWER_CURE}.`,
      consequence: 'Sessions end as errors that say nothing about the policy, and count as lost.',
    }),
  ];
}

function errorOf(body: unknown): string | null {
  const result = isMapping(body) && isMapping(body.result) ? body.result : {};
  return typeof result.error_message === 'string' ? result.error_message : null;
}

function sizeProblem(bytes: number, entries: { all: number; finished: number }, cost: number): Problem {
  return problemOf('RB229', {
    where: 'SESSIONS.md',
    message: `its ${entries.all} entries (${entries.finished} finished) cost the runtime about ${Math.round(cost)} s for each session.`,
    value: `${Math.round(bytes / 1000)} kB`,
    consequence: 'Every episode takes that much longer; the time limit of a job may be reached.',
  });
}

/** Seconds that a LOG.md of this size costs the runtime for each session that ends. Pure. */
export function logSeconds(bytes: number): number {
  return (bytes / 1e6) * LOG_SECONDS_PER_MB;
}

/** What LOG.md costs. Pure. */
export function logFileProblems(text: string, workspace: string): Problem[] {
  const bytes = Buffer.byteLength(text);
  const cost = logSeconds(bytes);
  if (cost < WORTH_MENTIONING_S) return [];
  return [
    problemOf('RB228', {
      where: 'LOG.md',
      message: `the runtime reads and rewrites it for each session that ends, about ${Math.round(cost)} s.`,
      value: `${Math.round(bytes / 1000)} kB`,
      fix: `Run \`rollout-bench clean --workspace ${shellWord(workspace)} --log\` while the queue is idle; it moves our own old entries aside.`,
      consequence: 'Every episode takes that much longer.',
    }),
  ];
}

/** Whether we can put our cell targets into TARGETS.md, and whether an earlier run left some. Pure. */
export function targetsFileProblems(
  targets: { readonly text: string; readonly entries: readonly TargetEntry[] },
  sessionsText: string | null,
): Problem[] {
  const list = sliceBlockList(targets.text, 'targets');
  const problems: Problem[] = [];
  if ('problem' in list || list.items.length !== targets.entries.length) {
    problems.push(
      problemOf('RB212', {
        fix: 'Write the targets as a list in block style, one `- id: …` per target.',
        where: 'TARGETS.md',
        message: `${'problem' in list ? list.problem : 'the entries cannot be told apart'}.`,
        consequence: 'Nothing can be queued: a cell target cannot be added without touching what is yours.',
      }),
    );
  }
  problems.push(...(problems.length === 0 ? editProblems(targets.text) : []));
  const used = sessionsText === null ? new Set<string>() : targetsInUse(readSessionsText(sessionsText));
  const left = targets.entries.filter(({ id }) => isCellTarget(id) && !used.has(id)).map(({ id }) => id);
  return left.length === 0 ? problems : [...problems, leftCellTargets(left)];
}

/** An edit may change what stands before it, such as a text block at the very end: tried with a target of ours. */
function editProblems(text: string): Problem[] {
  try {
    addWrittenTargets(text, '- id: rollout-bench-doctor--rb-00000000\n');
    return [];
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    const consequence =
      'Nothing can be queued: a cell target cannot be added without touching what is yours.';
    return error.problems.map((problem) => ({ ...problem, consequence }));
  }
}

function leftCellTargets(ids: readonly string[]): Problem {
  return problemOf('RB226', {
    where: 'TARGETS.md',
    message: `${ids.length} cell ${ids.length === 1 ? 'target' : 'targets'} of earlier runs that no live session names.`,
    value: ids.length > 4 ? `${ids.slice(0, 4).join(', ')}, …` : ids.join(', '),
    consequence: 'Harmless, but people and agents may take them for targets of yours.',
  });
}
