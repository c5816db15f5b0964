import { idRanges } from '../../base/id-ranges.ts';
import { bytesText, capsText } from '../../model/caps.ts';
import { capWord } from '../../model/journal-events.ts';
import { pinsSummary, pinText } from '../../model/pins.ts';
import type { Results } from '../../model/results.ts';
import type { ArmFacts } from '../../model/run-facts.ts';
import { fingerprintDigest } from '../../verdict/fingerprint.ts';
import { durationText, factText } from '../text/format.ts';
import { approvalText } from './approval-text.ts';
import { collectedIdRows, collectedRows, type Stated, statedIn } from './collected-view.ts';
import { type Audience, endpointText } from './endpoint.ts';
import { evidenceText } from './evidence-text.ts';
import { attemptsText } from './headlines-view.ts';
import { importedRows } from './imported-view.ts';
import { observedOrderText, recordingRows } from './recording-text.ts';
import type { ReportInput, ViewRow } from './report-input.ts';
import { startedRows } from './started-text.ts';

/** Facts about the host that say nothing about the machine's name or place. */
export function isPublicHostFact(key: string): boolean {
  return /gpu|driver|cuda|renderer|vendor|contended|^load$/i.test(key);
}

const text = (label: string, value: string): ViewRow => ({ label, value, code: false });
const code = (label: string, value: string): ViewRow => ({ label, value, code: true });

/** What was run: suite, tasks, states, arms, order. */
export function setupRows({ results, records }: ReportInput): ViewRow[] {
  const { run } = results;
  const approved = approvalText(results);
  const tasks = results.arms[0]?.tasks.map((task) => task.taskId) ?? [];
  const shard = run.shard === null ? [] : [text('Shard', `${run.shard.index} of ${run.shard.count}`)];
  return [
    text('Benchmark', results.benchmark),
    text('Suite', results.suite),
    text('Tasks', `${tasks.length} (${idRanges(tasks)})`),
    text(statesLabel(records), `${results.initStates.length} (${idRanges(results.initStates)})`),
    text('Runs per initial state', String(results.repeats)),
    text('Arms', results.arms.map((arm) => arm.arm).join(', ')),
    text('Order', orderText(results, records)),
    ...shard,
    code('Target', run.target.id),
    code('Skill runtime', results.skillruntime),
    ...collectedRows(results),
    ...importedRows(results),
    text('Tasks found by', discoveryText(results)),
    text('Evidence', evidenceText(results)),
    ...(approved === null ? [] : [text('Approval', approved)]),
    ...startedRows(results),
    ...recordingRows(results),
    text('Purpose', results.purpose),
    ...(run.pins === undefined ? [] : [text('Pins', pinsSummary(run.pins))]),
    text('Started', run.startedAt ?? 'unknown'),
    text('Sealed', run.sealedAt ?? 'unknown'),
    text('Run ended', endText(results)),
  ];
}

/** What the numbers of cells stand for. */
function statesLabel(records: ReportInput['records']): string {
  const cellsBy = records.find((record) => record.cellsBy !== undefined)?.cellsBy;
  if (cellsBy === undefined) return 'Initial states per task';
  if (cellsBy === 'seed' || cellsBy === 'scenario')
    return `${cellsBy === 'seed' ? 'Seeds' : 'Scenarios'} per task`;
  return 'Episodes per task, by their number';
}

function orderText({ order, run }: Results, records: ReportInput['records']): string {
  if (run.evidenceClass === 'unplanned') return 'not planned; as others queued the sessions';
  if (run.imported !== undefined) return 'unknown; sorted by task and episode here';
  return `${order.scheme}, seed ${order.seed}; ${observedOrderText(records)}`;
}

function discoveryText({ run }: Results): string {
  return run.discovery.note === null
    ? run.discovery.method
    : `${run.discovery.method} (${run.discovery.note})`;
}

function endText({ end }: Results): string {
  if (end === null) return 'unknown';
  return end.reason === null ? end.kind : `${end.kind}: ${end.reason}`;
}

/** Policy and runtime configuration: limits, target config, policies. */
export function configurationRows({ results, audience }: ReportInput): ViewRow[] {
  const { limits, run } = results;
  const stated = statedIn(run);
  return [
    ...run.arms.flatMap((arm) => policyRows(arm, audience, stated)),
    text('Simulator steps at most', stated('maxSteps', factText(limits.maxSteps))),
    text('Settle steps', stated('settleSteps', factText(limits.settleSteps))),
    text('Policy calls at most', stated('maxPolicyCalls', factText(limits.maxPolicyCalls))),
    text('Replan every', stated('replanEverySteps', replanText(limits.replanEverySteps))),
    text('Action chunk mode', stated('actionChunkMode', factText(limits.actionChunkMode))),
    text('Session timeout', stated('sessionTimeoutS', secondsText(limits.sessionTimeoutS))),
    text('Policy timeout', stated('policyTimeoutS', secondsText(limits.policyTimeoutS))),
    ...capRows(results),
    text('Wall-clock timeouts count as', results.timeoutsAs),
    ...factRows('Target config', results.targetConfig),
  ];
}

function replanText(steps: number | null): string {
  return steps === null ? 'unknown' : `${steps} steps (recorded; the runtime executes whole chunks)`;
}

function secondsText(seconds: number | null): string {
  return seconds === null ? 'unknown' : `${seconds} s`;
}

function capRows({ caps }: Results): ViewRow[] {
  if (caps === undefined) return [];
  const { limits, used, reached } = caps;
  const bytes = used?.artifactBytes == null ? '' : `, ${bytesText(used.artifactBytes)} of artifacts`;
  const spent = used === null ? 'unknown' : `${used.sessions} sessions, ${durationText(used.wallMs)}${bytes}`;
  return [
    text('Caps', capsText(limits)),
    text('Used of the caps', reached === null ? spent : `${spent}; ${capWord(reached.name)} was reached`),
  ];
}

function policyRows(arm: ArmFacts, audience: Audience, stated: Stated): ViewRow[] {
  const known = (label: string, value: string | null): ViewRow[] =>
    value === null ? [] : [code(`${arm.arm} ${label}`, value)];
  const identity =
    arm.metadataBefore === null
      ? text(`${arm.arm} policy identity`, 'unknown (the policy server sent no metadata)')
      : code(`${arm.arm} policy identity`, JSON.stringify(arm.metadataBefore));
  return [
    code(
      `${arm.arm} endpoint`,
      stated('policyEndpoint', endpointText(arm.endpoint, `${arm.arm} policy endpoint`, audience)),
    ),
    ...known('policy reference', arm.policyRef === null ? null : stated('policyId', arm.policyRef)),
    ...known('checkpoint digest', arm.checkpointDigest),
    ...known('image digest', arm.imageDigest),
    identity,
    ...(arm.changed === null ? [] : [text(`${arm.arm} policy changed during the run`, arm.changed)]),
  ];
}

function factRows(prefix: string, facts: Readonly<Record<string, unknown>>): ViewRow[] {
  return Object.keys(facts)
    .sort()
    .map((key) => code(`${prefix}: ${key}`, factText(facts[key])));
}

function sessionIdRows({ run, unattributed = [] }: Results, records: ReportInput['records']): ViewRow[] {
  if (run.evidenceClass === 'unplanned') return collectedIdRows(records, unattributed);
  if (run.imported !== undefined)
    return [
      code(
        'Places in the files',
        'sessionId of each line of episodes.jsonl; the files are in import/ of the bundle',
      ),
    ];
  const pattern = `rb-${run.runId}-t<task>-i<initial state>-r<run>-<arm>-a<try>`;
  return [code('Session ids', `${pattern}; all of them: episodes.jsonl`)];
}

/** What somebody needs to run or check it again. */
export function reproducibilityRows({ results, records, audience, bundleDir }: ReportInput): ViewRow[] {
  const { run } = results;
  const stated = statedIn(run);
  const host = Object.fromEntries(
    // The load has a line of its own, beside the times that it disturbs.
    Object.entries(run.host).filter(
      ([key]) => key !== 'load' && (audience === 'workspace' || isPublicHostFact(key)),
    ),
  );
  return [
    code('Run', `${run.runId}, attempt ${run.attempt}`),
    ...(run.attempts === undefined ? [] : [text('Attempts', attemptsText(run.attempts))]),
    code('Plan digest', run.planDigest),
    ...sessionIdRows(results, records),
    code(
      'Target endpoint',
      stated('targetEndpoint', endpointText(run.target.endpoint, 'target endpoint', audience)),
    ),
    code(
      'Artifacts of a session',
      'artifacts/runtime/<session id>/ in the workspace, raw/<session id>/ in the bundle',
    ),
    ...(bundleDir === null ? [] : [code('Bundle', bundleDir)]),
    code('Rollout Bench', `${run.tool.version}, dist ${run.tool.distHash ?? 'unknown'}`),
    ...factRows('Runtime', run.runtime),
    ...(run.pins ?? []).map((pin) => code(`Pin: ${pin.name}`, pinText(pin))),
    code('Protocol fingerprint', fingerprintDigest(run.fingerprint)),
    ...factRows('Fingerprint', run.fingerprint),
    ...factRows('Host', host),
    ...factRows('Source', run.source),
    code('Check this report', 'rollout-bench verify <bundle folder>'),
  ];
}
