import { roughDuration } from '../../base/rough-duration.ts';
import { holderText } from '../../lane/lane-holder.ts';
import type { RunnerFacts } from '../../platform/runner-facts.ts';
import { standingText } from '../../qualification/standing.ts';
import { terminalText } from '../../report/text/escape.ts';
import { factText } from '../../report/text/format.ts';
import { fixed } from '../../stats/rounding.ts';
import { readingText } from '../../workspace/dialect.ts';
import type { DoctorFacts } from './facts.ts';
import { runnerDays } from './runner-age.ts';

/** Entries of a policy's metadata on one line; the whole is in `--json`. */
const METADATA_ENTRIES = 4;
const ENTRY_LENGTH = 60;
/** Entries that tell most about a policy come first. */
const TELLING_KEYS = ['name', 'policy', 'model', 'checkpoint', 'config', 'version'];
const PAIRS_SHOWN = 8;
const LABEL_WIDTH = 14;
const NO_STATUS = 'unknown: SESSIONS.md or the ledger of this host cannot be read';

/** What a benchmark would find, one line for each thing. Pure; `nowMs` for ages, `forRelease`: a release would be run. */
export function factLines(facts: DoctorFacts, nowMs: number, forRelease: boolean): string[] {
  const lines: readonly (readonly [string, string])[] = [
    ['runtime', dialectText(facts)],
    ['target', pairText(facts)],
    ['suite', suiteText(facts)],
    ['target server', targetText(facts)],
    ['policy server', policyText(facts)],
    ...qualificationLines(facts, nowMs, forRelease),
    ['watchdog', watchdogText(facts, nowMs)],
    ['queue', queueText(facts)],
    ['lane', laneText(facts)],
    ...(facts.runner === null ? [] : [['runner', runnerText(facts.runner, nowMs)] as const]),
    ['disk', diskText(facts)],
    ['LOG.md', logText(facts)],
  ];
  return lines.map(([label, text]) => `  ${label.padEnd(LABEL_WIDTH)}${terminalText(text)}`);
}

function dialectText({ reading, queue }: DoctorFacts): string {
  if (reading !== null && (reading.dialect !== null || reading.conflict !== null))
    return `dialect ${readingText(reading)}`;
  return queue === null ? NO_STATUS : 'unknown: nothing in the documents tells';
}

function pairText({ target, skillruntime, possiblePairs }: DoctorFacts): string {
  if (target !== null) return `${target}, with skill runtime ${skillruntime ?? 'unknown'}`;
  if (possiblePairs === null) return 'unknown: TARGETS.md or SKILLRUNTIME.md cannot be read';
  if (possiblePairs.length === 0) return 'none fits';
  const names = possiblePairs.map((pair) => `${pair.target} with ${pair.skillruntime}`);
  const more = names.length > PAIRS_SHOWN ? `; and ${names.length - PAIRS_SHOWN} more` : '';
  return `${names.length} pairs fit, choose with --target and --skillruntime: ${names.slice(0, PAIRS_SHOWN).join('; ')}${more}`;
}

function suiteText({ suites }: DoctorFacts): string {
  if (suites === null) return 'none is configured; a run asks for --suite';
  const names = suites.names.join(', ');
  return suites.given ? names : `${names}, which the target is configured for; another one with --suite`;
}

function targetText({ targetServer }: DoctorFacts): string {
  if (!targetServer.asked) return `not asked: ${targetServer.why}`;
  const where = targetServer.endpoint ?? 'unknown';
  if (targetServer.answer === null) return `${where} ${withoutAnswer(targetServer.busy)}`;
  const { runtime, suite, tasks } = targetServer.answer;
  if (runtime === null && suite === null && tasks === 0)
    return `${where} answers, and does not describe itself`;
  const what = suite === null ? 'no suite' : suite;
  return `${where} answers as ${runtime ?? 'an unnamed runtime'}; it describes ${what} with ${tasks} task${tasks === 1 ? '' : 's'}`;
}

function withoutAnswer(busy: boolean): string {
  return busy ? 'is busy with a session, see below' : 'gave no good answer, see below';
}

function policyText({ policyServer }: DoctorFacts): string {
  if (!policyServer.asked) return `not asked: ${policyServer.why}`;
  const where = policyServer.endpoint ?? 'unknown';
  if (policyServer.answer === null) return `${where} ${withoutAnswer(policyServer.busy)}`;
  const { kind, digest, metadata } = policyServer.answer;
  if (kind === 'dummy') return `${where} is the policy inside the runtime that answers zero actions`;
  if (digest === null) return `${where} answers, and sends no metadata that would tell which policy it is`;
  return `${where} answers as ${metadataText(metadata)} (${digest.slice(0, 19)}…)`;
}

function metadataText(metadata: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(metadata).toSorted(([left], [right]) => rank(left) - rank(right));
  const shown = entries
    .slice(0, METADATA_ENTRIES)
    .map(([key, value]) => terminalText(`${key}=${factText(value)}`, ENTRY_LENGTH));
  return [...shown, ...(entries.length > METADATA_ENTRIES ? ['…'] : [])].join(', ');
}

/** Only a release needs a qualification, so nobody else is told that there is none. */
function qualificationLines(
  { qualifications, suites }: DoctorFacts,
  nowMs: number,
  forRelease: boolean,
): (readonly [string, string])[] {
  const known = qualifications.map((each) => standingText(each, nowMs));
  const without = (suites?.names ?? []).filter((name) => !qualifications.some(({ suite }) => suite === name));
  const missing =
    without.length > 0
      ? [`none of ${without.join(', ')}: a release is refused until rollout-bench qualify has made one`]
      : [];
  const texts = [...known, ...(forRelease ? missing : [])];
  return texts.length === 0 ? [] : [['qualification', texts.join('; ')]];
}

function watchdogText({ watchdog }: DoctorFacts, nowMs: number): string {
  if (watchdog === null) return NO_STATUS;
  const moved =
    watchdog.lastMoveMs === null
      ? 'no session in SESSIONS.md has moved'
      : `a session last moved ${roughDuration(Math.max(0, (nowMs - watchdog.lastMoveMs) / 1000))} ago`;
  if (watchdog.state === 'recent') return `there; ${moved}`;
  if (watchdog.state === 'working') return `at work; ${moved}`;
  if (watchdog.state === 'silent') return `seems not to run: sessions wait and nothing happens; ${moved}`;
  return `cannot be seen while no session waits; ${moved}`;
}

function rank(key: string): number {
  const place = TELLING_KEYS.indexOf(key.toLowerCase());
  return place === -1 ? TELLING_KEYS.length : place;
}

function queueText({ queue }: DoctorFacts): string {
  if (queue === null) return NO_STATUS;
  const working = queue.working === null ? 'nothing runs' : `${queue.working.id} is ${queue.working.status}`;
  return `${queue.pending} pending, ${queue.terminal} finished; ${working}`;
}

function laneText({ lane }: DoctorFacts): string {
  if (lane === null) return NO_STATUS;
  return lane.held ? holderText(lane.holder) : 'free';
}

function runnerText(runner: RunnerFacts, nowMs: number): string {
  const days = runnerDays(runner, nowMs);
  return `GitHub Actions runner ${runner.version ?? 'of an unknown version'}, built ${days} day${days === 1 ? '' : 's'} ago`;
}

function diskText({ disk }: DoctorFacts): string {
  return disk.freeBytes === null ? 'unknown' : `${fixed(disk.freeBytes / 1e9, 1) ?? '0.0'} GB free`;
}

function logText({ log }: DoctorFacts): string {
  if (log === null) return 'not there yet';
  const size = `${Math.round(log.bytes / 1000)} kB`;
  return `${size}, costs the runtime about ${fixed(log.secondsPerSession, 1) ?? '0.0'} s for each session`;
}
