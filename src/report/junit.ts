import type { EpisodeRecord } from '../model/episode-record.ts';
import { cellKey } from '../model/plan.ts';
import { explainedError } from '../outcome/late-answer.ts';
import { codeOf } from '../results/error-codes.ts';
import { SESSION_EVIDENCE } from '../verdict/release.ts';
import { xmlText } from './text/escape.ts';

/**
 * junit.xml: one test suite per task and arm, which is a row in the reporters of GitHub, one case per cell. A failed episode is a `failure`, everything that is
 * no verdict on the policy an `error`, a cell without an episode `skipped`. Times are seconds. Text in parts, for files of thousands.
 */
export function* junitXml(records: readonly EpisodeRecord[], suite: string): Generator<string> {
  const groups = new Map<string, EpisodeRecord[]>();
  const several = new Set(records.map(({ arm }) => arm)).size > 1;
  for (const record of [...records].sort((left, right) => left.position - right.position)) {
    const name = groupName(record, { suite, several });
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [record]);
    else group.push(record);
  }
  const suites = [...groups].sort(([, left], [, right]) => compareGroups(left, right));
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${xmlText(suite)}" ${countsText(records)}>\n`;
  for (const [name, group] of suites) for (const line of suiteLines(name, group)) yield `${line}\n`;
  yield '</testsuites>\n';
}

/** `libero_spatial task 3: lift the cube`; the arm where there are two. Reporters show it as it is, and cut long ones. */
function groupName(
  { taskId, language, arm }: EpisodeRecord,
  { suite, several }: { readonly suite: string; readonly several: boolean },
): string {
  return `${suite} task ${taskId}${several ? ` (${arm})` : ''}: ${language}`;
}

function compareGroups(left: readonly EpisodeRecord[], right: readonly EpisodeRecord[]): number {
  const [a, b] = [left[0], right[0]];
  if (a === undefined || b === undefined) return 0;
  return a.taskId - b.taskId || (a.arm < b.arm ? 1 : -1);
}

function suiteLines(name: string, group: readonly EpisodeRecord[]): string[] {
  return [
    `  <testsuite name="${xmlText(name)}" ${countsText(group)}>`,
    ...(group.some(({ evidence }) => evidence === 'session') ? [SESSION_PROPERTY] : []),
    ...group.flatMap((record) => caseLines(name, record)),
    '  </testsuite>',
  ];
}

const SESSION_PROPERTY = `    <properties><property name="evidence" value="${xmlText(SESSION_EVIDENCE)}"/></properties>`;

type Kind = 'passed' | 'failure' | 'error' | 'skipped';

function kindOf(record: EpisodeRecord): Kind {
  if (record.outcome === 'success') return 'passed';
  if (record.outcome === 'failure') return 'failure';
  return record.outcome === 'not_run' || record.outcome === 'after_stop' ? 'skipped' : 'error';
}

function countsText(records: readonly EpisodeRecord[]): string {
  const count = (kind: Kind): number => records.filter((record) => kindOf(record) === kind).length;
  const time = records.reduce((sum, record) => sum + (record.durationMs ?? 0), 0);
  return `tests="${records.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="${secondsText(time)}"`;
}

function secondsText(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** A number that stands for no state must not read as one. */
function nameOf(record: EpisodeRecord): string {
  if (record.cellsBy === undefined) return cellKey(record);
  return `t${record.taskId}-episode${record.initStateId}-r${record.runIndex}-${record.arm}`;
}

function caseLines(suiteName: string, record: EpisodeRecord): string[] {
  const time = record.durationMs === null ? '' : ` time="${secondsText(record.durationMs)}"`;
  const open = `    <testcase classname="${xmlText(suiteName)}" name="${xmlText(`${nameOf(record)} ${record.language}`)}"${time}`;
  const kind = kindOf(record);
  if (kind === 'passed') return [`${open}/>`];
  if (kind === 'skipped')
    return [`${open}>`, `      <skipped message="${record.outcome}"/>`, '    </testcase>'];
  const message = xmlText(
    record.errorMessage === null ? record.outcome : explainedError(record.errorMessage),
  );
  const type = xmlText(codeOf(record) ?? record.outcome);
  const body = xmlText([`session ${record.sessionId ?? 'unknown'}`, ...record.notes].join('\n'));
  return [
    `${open}>`,
    `      <${kind} message="${message}" type="${type}">${body}</${kind}>`,
    '    </testcase>',
  ];
}
