import { RUN_SCHEMA_ID, type RunFacts } from '../../model/run-facts.ts';
import type { Classified } from '../../outcome/classified.ts';
import { planDigest } from '../../plan/make-plan.ts';
import type { QueueEntry } from '../../queue/machine/snapshot.ts';
import { fingerprintOf } from '../../verdict/fingerprint.ts';
import type { FinishedSession } from './finished-session.ts';
import { stemOf } from './group-key.ts';
import type { SessionGroup } from './group-sessions.ts';

/** What all groups of one collection share. */
export interface SealGroupInput {
  /** Absolute. */
  readonly workspace: string;
  readonly tool: RunFacts['tool'];
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Four random hex digits. */
  readonly randomHex: string;
  readonly secrets: readonly string[];
  /** Mustache text of the user's own report template, null for ours. */
  readonly template: string | null;
}

export interface Judged {
  readonly entry: QueueEntry;
  readonly found: Classified;
  /** Mode of a verifier that may have had a word in its status; null without. */
  readonly verifier: string | null;
}

export interface GroupEvidence {
  readonly group: SessionGroup;
  /** Number of this group, from 1, and of all. */
  readonly number: number;
  readonly groups: number;
  readonly byId: ReadonlyMap<string, Judged>;
  readonly logs: ReadonlyMap<string, string>;
  /** What the user chose and what was planned, for the report. */
  readonly chosen: readonly string[];
  readonly planned: string | null;
  /** What the report says about how its sessions were attributed. */
  readonly warnings: readonly string[];
}

/** What run.json says of a group of collected sessions: what documents state, and null for the rest. Pure. */
export function collectedRun(input: SealGroupInput, id: string, evidence: GroupEvidence): RunFacts {
  const { group, number, groups, chosen, planned, warnings } = evidence;
  const { settings } = group;
  const sessions = sessionsIn(group);
  const times = sessions.flatMap(({ endedAt }) => endedAt ?? []).toSorted();
  return {
    schema: RUN_SCHEMA_ID,
    runId: id,
    attempt: 1,
    planDigest: planDigest(group.plan),
    evidenceClass: 'unplanned',
    tool: input.tool,
    startedAt: null,
    sealedAt: new Date(input.nowMs).toISOString(),
    shard: null,
    positions: null,
    target: {
      id: targetText(group.members.map(({ session }) => session.target)),
      endpoint: settings.targetEndpoint,
      kind: null,
    },
    arms: [
      {
        arm: 'candidate',
        endpoint: settings.policyEndpoint,
        policyRef: settings.policyId,
        checkpointDigest: null,
        imageDigest: null,
        metadataBefore: null,
        metadataAfter: null,
        changed: null,
      },
    ],
    discovery: { method: 'evidence of finished sessions', note: attributionNote(group) },
    runtime: {},
    host: {},
    fingerprint: fingerprintOf(group.plan, {}),
    source: {},
    collected: {
      targets: [...group.targets],
      goals: [...new Set(sessions.map(({ goal }) => goal))].toSorted(byText),
      from: times[0] ?? null,
      until: times.at(-1) ?? null,
      group: number,
      groups,
      chosen: [...chosen],
      planned,
      stated: { ...settings.stated },
    },
    phases: [],
    warnings: [...warnings],
  };
}

function sessionsIn({ members, unattributed }: SessionGroup): readonly FinishedSession[] {
  return [...members.map(({ session }) => session), ...unattributed.map(({ session }) => session)];
}

function byText(left: string | null, right: string | null): number {
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** One name for a title, of the targets whose episodes are known; the report lists all. */
function targetText(ran: readonly string[]): string {
  const targets = [...new Set(ran)].toSorted();
  const [first = 'unknown', ...others] = targets;
  if (others.length === 0) return first;
  const stem = stemOf(first);
  return targets.every((target) => stemOf(target) === stem)
    ? `${stem} (${targets.length} targets)`
    : `${first} and ${others.length} more`;
}

function attributionNote({ members, unattributed }: SessionGroup): string | null {
  const byTarget = members.filter(({ session }) => session.cell.by === 'target').length;
  const byBlock = members.filter(({ session }) => session.cell.by === 'block').length;
  const parts = [
    ...(byBlock === 0 ? [] : [`${byBlock} sessions by the benchmark block of their entry`]),
    ...(byTarget === 0 ? [] : [`${byTarget} sessions by what their target is configured for`]),
    ...(unattributed.length === 0 ? [] : [`${unattributed.length} sessions of unknown episode`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
