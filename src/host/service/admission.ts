import type { AdapterPlan, Scheduled } from '../adapter-plan.ts';
import { CONTRACT_ADAPTERS } from '../contract-adapter.ts';
import { timeStamp } from '../now.ts';
import { checkHealth, missingText, runPreflight } from '../preflight.ts';
import { RuntimeFailure } from '../python-error.ts';
import type { Contract } from '../registry-schema.ts';
import { RANK, resolveSession } from '../scheduler.ts';
import { uncoveredPart } from '../session-parts.ts';
import { makeResult, type Session } from '../session-schema.ts';
import type { QueueEntry } from './queue-entries.ts';
import type { Registries } from './registries.ts';
import { type Failure, failed, HOST_CODES, moved } from './session-end.ts';
import { ENDPOINTS_KEY, listedEndpoints } from './simulators.ts';

/** What becomes of a pending entry that is taken. */
export type Admission =
  | {
      readonly kind: 'run';
      readonly scheduled: Scheduled;
      readonly plan: AdapterPlan;
      readonly contract: Contract | null;
    }
  | { readonly kind: 'end'; readonly session: Session; readonly lesson: Lesson | null };

/** What LESSONS.md is to say of a rejection. */
interface Lesson {
  readonly ids: { readonly targetId: string; readonly skillId: string };
  readonly summary: string;
  readonly report: Readonly<Record<string, unknown>>;
}

interface Owner {
  readonly workspace: string;
  readonly claimedBy: string;
  readonly token: string;
}

/** Pending entries in the order in which the runtime takes them: by priority, then by place. */
export function inOrder(entries: readonly QueueEntry[]): readonly Session[] {
  const first = new Set<string>();
  const pending: Session[] = [];
  for (const { id, session } of entries) {
    if (id === null || first.has(id)) continue;
    first.add(id);
    if (session?.status === 'pending') pending.push(session);
  }
  return pending.toSorted((left, right) => RANK[left.priority] - RANK[right.priority]);
}

/** Target and skill runtime of a session, or why it can have none. */
export function scheduledOf(session: Session, registries: Registries): Scheduled | Failure {
  try {
    registries.targets.refuseBroken(bare(session.target_ref, 'target://'));
    registries.skills.refuseBroken(bare(session.skillruntime_ref, 'skillruntime://'));
    return resolveSession(session, registries.targets.entries(), registries.skills.entries());
  } catch (error) {
    return failureOf(error);
  }
}

function bare(reference: string, scheme: string): string {
  return reference.startsWith(scheme) ? reference.slice(scheme.length) : reference;
}

function failureOf(error: unknown): Failure {
  if (error instanceof RuntimeFailure) return { code: error.code, message: error.message };
  throw error;
}

/** Checks the session and makes it running, with the report of the checks; or ends it. Reads its contract file. */
export function admit(session: Session, registries: Registries, owner: Owner): Admission {
  const scheduled = scheduledOf(session, registries);
  if ('code' in scheduled) return end(failed(session, scheduled, false));
  const refused = refusal(scheduled);
  if (refused !== null) return end(failed(session, refused, false));
  const { plan, contract, missing, report } = runPreflight(scheduled, owner.workspace, CONTRACT_ADAPTERS);
  const { target, skill } = scheduled;
  if (missing.length > 0) {
    const summary = missingText(missing);
    const fields = { status: 'rejected', success: false, error_code: 'RUNTIME_PREFLIGHT_FAILED' };
    const result = makeResult(
      { ...fields, error_message: summary, metadata: { preflight: report } },
      'august',
    );
    const lesson = { ids: { targetId: target.id, skillId: skill.id }, summary, report };
    return { kind: 'end', session: moved(session, 'rejected', result), lesson };
  }
  const { verification, result } = session;
  if (verification?.mode === 'enforce' || verification?.mode === 'recovery') {
    const message = 'VERIFICATION_SERVICE_DISABLED: non-off session requires the Agent verifier service';
    return end(failed(session, { code: 'SCHEMA_VALIDATION', message }, false));
  }
  const running: Session = {
    ...session,
    status: 'running',
    updated_at: timeStamp('Z'),
    claimed_by: owner.claimedBy,
    claim_token: owner.token,
    result: { ...result, metadata: { ...result.metadata, preflight: report } },
  };
  return { kind: 'run', scheduled: { ...scheduled, session: running }, plan, contract };
}

function end(session: Session): Admission {
  return { kind: 'end', session, lesson: null };
}

/** What this host does not do, by name; and the runtime's own first checks. */
function refusal(scheduled: Scheduled): Failure | null {
  const { target } = scheduled;
  try {
    checkHealth(scheduled);
    if (listedEndpoints(target.config) === null) {
      const message = `target ${target.id} config.${ENDPOINTS_KEY} must be a list of targetws:// endpoints`;
      return { code: 'SCHEMA_VALIDATION', message };
    }
    const part = target.target_kind === 'real_robot' ? 'real robots' : uncoveredPart(scheduled);
    if (part === null) return null;
    const message = `this host has no ${part}; it runs policy sessions on simulators only`;
    return { code: HOST_CODES.unsupported, message };
  } catch (error) {
    return failureOf(error);
  }
}
