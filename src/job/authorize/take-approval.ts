import { ApprovalLedger } from '../../approval/ledger.ts';
import type { ApprovalNeed } from '../../approval/need.ts';
import type { Claim, Fitting } from '../../approval/uses.ts';
import { stableJson } from '../../base/stable-json.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { BundleDocument } from '../../bundle/seal.ts';
import { type Problem, RbError } from '../../errors/rb-error.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { workspaceIdentity } from '../../lane/workspace-identity.ts';
import {
  type Approval,
  type Binding,
  bindingDifferences,
  continuationDifferences,
  type Reservation,
  type RunApproval,
} from '../../model/approval.ts';
import { planDigest } from '../../plan/make-plan.ts';
import type { VerbContext } from '../verb.ts';
import { approversOf, bindingOf, mayBegin, needOf, type PlannedRun } from './question.ts';
import { approvalConnection, readBack } from './read-back.ts';
import { notApproved, otherPolicies } from './refuse.ts';
import { ReservedRun, type TakenRight } from './reserved-run.ts';
import { noteOnRunner } from './runner-record.ts';
import { usedUp } from './used-up.ts';

interface ApprovalRequest extends PlannedRun {
  readonly verb: VerbContext;
  readonly runId: string;
  /** Digests of the policies' metadata as they were met, by arm. */
  readonly policies: NonNullable<Reservation['policies']>;
}

/** What a run has of approval. */
interface Granted {
  /** For run.json; null: none was needed. */
  readonly fact: RunApproval | null;
  readonly documents: readonly BundleDocument[];
  /** Null when none was needed. */
  readonly reservation: ReservedRun | null;
}

/**
 * Takes the right to run a plan, where one is needed: from the host's ledger, and in `mode: all` with a token from GitHub
 * as well. The reservation is durable before this returns. Only the holder of the lane may ask.
 * @throws RbError RB376 to RB381, RB840 to RB843 (exit 3)
 */
export async function takeApproval(request: ApprovalRequest): Promise<Granted> {
  const need = await needOf(request);
  if (!need.needed) return withoutApproval(need);
  const ledger = new ApprovalLedger(hostFolder(request.workspace), () => request.verb.clock.now());
  const taken = await claimOf(request, need, ledger);
  const { approval } = taken;
  const { workspace } = request;
  const right: TakenRight =
    taken.kind === 'fresh'
      ? { workspace, reservation: taken.reservation, before: null }
      : { workspace, reservation: taken.use.reservation, before: taken.use.state };
  const { reservation } = right;
  const held = new ReservedRun(ledger, right);
  try {
    requireSamePolicies(reservation, request);
    await noteUse(request, approval, reservation);
  } catch (error) {
    // Nothing was queued.
    await held.end('interrupted');
    throw error;
  }
  request.verb.log.info(
    `Approved by ${approval.reference.source}${approval.actor === null ? '' : ` (${approval.actor})`}: ${approval.url}`,
  );
  return {
    fact: { state: 'approved', approval },
    documents: [
      { name: BUNDLE_FILES.approval, text: stableJson(approval) },
      { name: BUNDLE_FILES.reservation, text: stableJson(reservation) },
    ],
    reservation: held,
  };
}

function withoutApproval({ waived }: Extract<ApprovalNeed, { needed: false }>): Granted {
  const fact: RunApproval | null = waived === null ? null : { state: 'waived', why: waived };
  return { fact, documents: [], reservation: null };
}

/**
 * Whoever took the right met policies; another one under it would be another measurement.
 * @throws RbError RB378 (exit 3)
 */
function requireSamePolicies({ policies, suite }: Reservation, request: ApprovalRequest): void {
  if (policies === undefined) return;
  const found = request.plan.arms.flatMap((arm) => {
    const [before, now] = [policies[arm] ?? null, request.policies[arm] ?? null];
    return before === now
      ? []
      : [`the ${arm} policy was ${before ?? 'unknown'}, now it is ${now ?? 'unknown'}`];
  });
  if (found.length > 0) throw otherPolicies(suite, found);
}

async function noteUse(
  { workspace, suites, env, verb }: ApprovalRequest,
  approval: Approval,
  reservation: Reservation,
): Promise<void> {
  await noteOnRunner({
    approval,
    reservation,
    suites: approval.binding.suites ?? suites,
    workspace: await workspaceIdentity(hostFolder(workspace)),
    env,
    log: verb.log,
  });
}

type Right = Exclude<Claim, { kind: 'used' }>;
type Need = Extract<ApprovalNeed, { needed: true }>;

async function claimOf(request: ApprovalRequest, need: Need, ledger: ApprovalLedger): Promise<Right> {
  const { plan, inputs, context, runId, suites, policies } = request;
  const binding = await bindingOf(request);
  const { suite } = plan;
  const approvers = await approversOf(request);
  const isOfHere = (approval: Approval): boolean =>
    approval.suite === suite &&
    need.sources.includes(approval.reference.source) &&
    (context.repository === null || context.repository === approval.repository);
  const take = async (): Promise<Claim> => {
    const here = (await ledger.read()).approvals.filter(isOfHere);
    const fitting: Fitting = {
      toBegin: here.filter(
        (each) => mayBegin(each, approvers) && bindingDifferences(each.binding, binding).length === 0,
      ),
      toGoOn: here.filter((each) => continuationDifferences(each.binding, binding).length === 0),
    };
    const { shard } = inputs;
    const digest = planDigest(plan);
    const whose = { suite, shard, planDigest: digest, runId, runUrl: context.runUrl };
    return ledger.take(fitting, { ...whose, suites: [...suites], policies: { ...policies } });
  };
  const known = await take();
  if (known.kind !== 'used') return known;
  const asked = await askGitHub(request, { need, binding, ledger });
  const now = await take();
  if (now.kind !== 'used') return now;
  if (now.uses.length > 0) throw await usedUp(now.uses, { asked, workspace: request.workspace, context });
  const book = await ledger.read();
  throw await notApproved({ plan, suite, binding, need, ledger, book, asked, approvers });
}

/** Keeps what GitHub says now, where it may be asked; gives the reasons why that is no approval. */
async function askGitHub(
  request: ApprovalRequest,
  { need, binding, ledger }: { need: Need; binding: Binding; ledger: ApprovalLedger },
): Promise<readonly Problem[]> {
  const { verb, plan, inputs } = request;
  // `mode: run` asks nobody.
  const connection = inputs.mode === 'all' ? approvalConnection(verb) : null;
  if (connection === null) return [];
  const { sources } = need;
  try {
    const now = verb.clock.now();
    const { approvals } = await ledger.read();
    const asked = { run: request, binding, connection, sources, now, known: approvals };
    await ledger.keep(await readBack(asked), plan);
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
}
