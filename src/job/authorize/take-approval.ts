import { ApprovalLedger } from '../../approval/ledger.ts';
import type { ApprovalNeed } from '../../approval/need.ts';
import type { Claim } from '../../approval/uses.ts';
import { stableJson } from '../../base/stable-json.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { BundleDocument } from '../../bundle/seal.ts';
import { type Problem, RbError } from '../../errors/rb-error.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { type Approval, type Binding, bindingDifferences, type RunApproval } from '../../model/approval.ts';
import { planDigest } from '../../plan/make-plan.ts';
import type { VerbContext } from '../verb.ts';
import { bindingOf, needOf, type PlannedRun } from './question.ts';
import { approvalConnection, readBack } from './read-back.ts';
import { notApproved, usedUp } from './refuse.ts';
import { ReservedRun } from './reserved-run.ts';

interface ApprovalRequest extends PlannedRun {
  readonly verb: VerbContext;
  readonly runId: string;
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
  const reservation = taken.kind === 'fresh' ? taken.reservation : taken.use.reservation;
  const began = taken.kind === 'fresh' ? null : taken.use.state;
  request.verb.log.info(
    `Approved by ${approval.reference.source}${approval.actor === null ? '' : ` (${approval.actor})`}: ${approval.url}`,
  );
  return {
    fact: { state: 'approved', approval },
    documents: [
      { name: BUNDLE_FILES.approval, text: stableJson(approval) },
      { name: BUNDLE_FILES.reservation, text: stableJson(reservation) },
    ],
    reservation: new ReservedRun(ledger, reservation, began),
  };
}

function withoutApproval({ waived }: Extract<ApprovalNeed, { needed: false }>): Granted {
  const fact: RunApproval | null = waived === null ? null : { state: 'waived', why: waived };
  return { fact, documents: [], reservation: null };
}

type Right = Exclude<Claim, { kind: 'used' }>;
type Need = Extract<ApprovalNeed, { needed: true }>;

async function claimOf(request: ApprovalRequest, need: Need, ledger: ApprovalLedger): Promise<Right> {
  const { plan, inputs, context, runId } = request;
  const binding = await bindingOf(request);
  const { suite } = plan;
  const fits = (approval: Approval): boolean =>
    approval.suite === suite &&
    need.sources.includes(approval.reference.source) &&
    (context.repository === null || context.repository === approval.repository) &&
    bindingDifferences(approval.binding, binding).length === 0;
  const { shard } = inputs;
  const who = { suite, shard, planDigest: planDigest(plan), runId, runUrl: context.runUrl };
  const take = async (): Promise<Claim> => ledger.take((await ledger.read()).approvals.filter(fits), who);
  const known = await take();
  if (known.kind !== 'used') return known;
  const asked = await askGitHub(request, { need, binding, ledger });
  const now = await take();
  if (now.kind !== 'used') return now;
  if (now.uses.length > 0) throw usedUp(now.uses, asked);
  throw await notApproved({ plan, suite, binding, need, ledger, book: await ledger.read(), asked });
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
    await ledger.keep(await readBack({ run: request, binding, connection, sources, now }), plan);
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
}
