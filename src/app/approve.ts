import { ApprovalLedger } from '../approval/ledger.ts';
import { EXIT, type ExitCode, errorOf } from '../errors/rb-error.ts';
import { bindingOf, needOf, type PlannedRun } from '../job/authorize/question.ts';
import { approvalConnection, readBack } from '../job/authorize/read-back.ts';
import type { Connection } from '../job/connection.ts';
import { observedPins } from '../job/prepare/observed-pins.ts';
import { plansHere } from '../job/prepare/plans-here.ts';
import { policySources } from '../job/prepare/policy-source.ts';
import { refuseForks } from '../job/prepare/refuse-forks.ts';
import { readEvent } from '../job/read-event.ts';
import type { VerbContext } from '../job/verb.ts';
import { hostFolder } from '../lane/host-folder.ts';
import type { Approval } from '../model/approval.ts';
import type { Plan } from '../model/plan.ts';
import { planDigest } from '../plan/make-plan.ts';
import { type RunContext, runContext } from '../platform/run-context.ts';

/**
 * `approve`: plans as `plan` does, reads the approval of each plan back from GitHub and keeps it on the host, where
 * `mode: run` finds it without asking anybody. Queues nothing. What a file says of itself is no approval.
 */
export async function approve(verb: VerbContext): Promise<ExitCode> {
  const payload = await readEvent(verb.env);
  await refuseForks(verb.env, payload, verb.inputs.workspace);
  const context = runContext(verb.env, payload);
  const { host, inputs, plans } = await plansHere(verb, context);
  const started = await policySources(inputs, verb.env);
  const kept: Approval[] = [];
  const { workspace, endpoints } = host;
  const suites = plans.map(({ plan }) => plan.suite);
  const job = { workspace, suites, endpoints, inputs, context, env: verb.env };
  const ledger = new ApprovalLedger(hostFolder(workspace), () => verb.clock.now());
  for (const { plan, found } of plans) {
    const pins = () => observedPins({ host, plan, found, inputs, context, sources: started });
    const run: PlannedRun = { ...job, plan, pins };
    const need = await needOf(run);
    if (!need.needed) {
      verb.log.info(`${plan.suite}: ${notNeededText(plan, need.waived, context)}`);
      continue;
    }
    const connection = approvalConnection(verb) ?? noConnection();
    const now = verb.clock.now();
    const binding = await bindingOf(run);
    const { approvals: known } = await ledger.read();
    const approval = await readBack({ run, binding, connection, sources: need.sources, now, known });
    await ledger.keep(approval, plan);
    kept.push(approval);
    if (!verb.json) verb.stdout(`${plan.suite}: plan ${planDigest(plan)}\n${approvalText(approval)}\n`);
  }
  if (verb.json) verb.stdout(`${JSON.stringify(kept, null, 2)}\n`);
  return EXIT.ok;
}

/** Somebody who calls `approve` expects one to be needed. */
function notNeededText({ purpose }: Plan, waived: string | null, { kind }: RunContext): string {
  const why =
    waived ?? (kind === 'github' ? `the purpose is ${purpose}` : 'the run is started from the command line');
  return `no approval is needed, ${why}. The input approval (environment, label, plan-file) asks for one.`;
}

function approvalText({ reference, actor, url, binding }: Approval): string {
  const who = actor === null ? '' : ` by ${actor}`;
  const suites = binding.suites?.join(', ') ?? 'unknown';
  return `Approved${who} (${reference.source}) for commit ${binding.headCommit ?? 'unknown'}: ${url}\nIt allows one run of ${suites} in this workspace.`;
}

function noConnection(): Connection {
  throw errorOf('RB383', {
    where: 'input github-token',
    message: 'there is no token or no repository to read an approval from.',
  });
}
