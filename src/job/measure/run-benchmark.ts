import type { Problem } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Plan } from '../../model/plan.ts';
import type { TasksFile } from '../../plan/task-languages.ts';
import type { Clock } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { secretsOf } from '../../screen/secrets.ts';
import type { Fingerprint } from '../../verdict/fingerprint.ts';
import type { Authority } from '../authorize/authority.ts';
import { authorize } from '../authorize/authorize.ts';
import { refuseUnqualifiedRelease } from '../authorize/rely-on-qualification.ts';
import { reportProblems } from '../guard.ts';
import { findTasks } from '../prepare/find-tasks.ts';
import type { HeldOutGuard } from '../prepare/held-out-guard.ts';
import { type HeldOutPlan, planHeldOut, requireHeldOutSuites } from '../prepare/held-out-plans.ts';
import { type NamedBaseline, namedBaseline } from '../prepare/named-baseline.ts';
import { type OpenHost, openHost } from '../prepare/open-host.ts';
import { planFor, suitesOf } from '../prepare/plan-for.ts';
import { type ArmPolicy, meetPolicy, requireTwoPolicies } from '../prepare/policies.ts';
import { protocolOf } from '../prepare/protocol.ts';
import { readTasksFile } from '../prepare/read-tasks-file.ts';
import { recordsPolicies, requireRecordable } from '../prepare/record-policy.ts';
import { refuseOtherPlan, requirePlanFile } from '../prepare/refuse-other-plan.ts';
import { sayPlan } from '../prepare/say-plan.ts';
import { droppedProblems, requireUsable } from '../prepare/usable-baseline.ts';
import { againCommand } from '../runs/again.ts';
import { runIds } from '../runs/run-ids.ts';
import type { VerbContext } from '../verb.ts';
import { type Overlap, recordOverlap } from './held-out-overlaps.ts';
import { heldOutStep } from './held-out-step.ts';
import { laterSuite, untilResumable } from './later-suite.ts';
import { measurePlan } from './measure-plan.ts';
import type { MeasuredPlan } from './measured-plan.ts';
import { createPhases, type Phases } from './phases.ts';
import { takeHost } from './take-host.ts';

export interface Benchmark {
  readonly context: RunContext;
  readonly host: OpenHost;
  /** The user's report template, null for ours. */
  readonly template: string | null;
  readonly suites: readonly MeasuredPlan[];
  /** Suites that were wanted and never began, because the run ended before. */
  readonly notBegun: readonly string[];
}

interface BenchmarkRequest {
  readonly verb: VerbContext;
  readonly run: RunContext;
  readonly template: string | null;
  /** The cells of this job that are named nowhere; null or left out: none. */
  readonly heldOut?: HeldOutGuard | null;
  /** What would be said of a plan by who decides later; null or left out: nothing. */
  readonly foresee?: Foresight | null;
  /** Told as soon as the ids are known, so that a post step can find them. */
  readonly onRun: (workspace: string) => void;
}

/** What would be said of a plan before it is measured. */
export type Foresight = (plan: Plan, fingerprint: Fingerprint) => Promise<readonly Problem[]>;

/** State of one benchmark while it runs. */
interface OpenJob extends BenchmarkRequest {
  readonly inputs: Inputs;
  readonly host: OpenHost;
  readonly lane: Lane;
  readonly policies: readonly ArmPolicy[];
  readonly tasksFile: TasksFile | null;
  readonly baseline: NamedBaseline;
  readonly phases: Phases;
  /** All suites of the job, in their order. */
  readonly suites: readonly string[];
  /** Id of the run of a suite: the same wherever it is shown. */
  readonly idOf: (suite: string) => string;
}

/**
 * The main job: lane, preconditions, policy, then each suite: discovery, plan, rollouts, bundle. Everything finished is
 * kept whatever happens; the host is left as it was.
 * @throws RbError when nothing could be begun (exit 2, 3 or 75); nothing was queued then.
 */
export async function runBenchmark(request: BenchmarkRequest): Promise<Benchmark> {
  const { verb, run } = request;
  const { inputs, clock, log, signal } = verb;
  const phases = createPhases();
  const checkedAt = clock.now();
  const looked = await openHost(inputs);
  reportProblems(looked.warnings, log);
  const tasksFile = inputs.tasksFile === null ? null : await readTasksFile(inputs.tasksFile);
  const suites = suitesOf(inputs, looked);
  requireHeldOutSuites(request.heldOut ?? null, suites);
  await requirePlanFile(inputs.planFile, suites);
  const baseline = await namedBaseline(inputs, suites);
  const idOf = runIds(verb, run);
  request.onRun(looked.workspace);
  const { lane, earlierMs } = await takeHost({
    workspace: looked.workspace,
    runIds: suites.map(idOf),
    inputs,
    clock,
    log,
    signal,
  });
  try {
    // Whoever had the lane may have changed the documents meanwhile.
    const host = lane.waitedMs + earlierMs > 1000 ? await openHost(inputs) : looked;
    phases.add('preconditions', clock.now() - checkedAt - lane.waitedMs - earlierMs);
    phases.add('waiting for the lane', lane.waitedMs);
    if (earlierMs > 0) phases.add('waiting for a session of an earlier run', earlierMs);
    await refuseUnqualifiedRelease({ host, suites, inputs, context: run, clock });
    const policies = await meetPolicies({ ...request, host }, phases);
    const job: OpenJob = {
      ...request,
      inputs,
      host,
      lane,
      policies,
      tasksFile,
      baseline,
      phases,
      suites,
      idOf,
    };
    return await runSuites(job, suites, run);
  } finally {
    await lane.release();
  }
}

async function runSuites(job: OpenJob, suites: readonly string[], context: RunContext): Promise<Benchmark> {
  const done: MeasuredPlan[] = [];
  for (const suite of suites) {
    const run =
      done.length === 0
        ? await oneSuite(job, suite)
        : await laterSuite(job, suite, () => oneSuite(job, suite));
    if (run === null) break;
    done.push(run);
    // A host that is gone for one suite is gone for the next.
    if (run.end.end !== 'complete') break;
  }
  const { host, template } = job;
  return { context, host, template, suites: done, notBegun: suites.slice(done.length) };
}

async function oneSuite(job: OpenJob, suite: string): Promise<MeasuredPlan> {
  const { verb, run, host, inputs, phases } = job;
  const { clock, log, signal } = verb;
  const id = job.idOf(suite);
  await job.lane.serve(id);
  await untilResumable(job, id);
  const began = clock.now();
  const { tasksFile } = job;
  const search = { host, suite, inputs, tasksFile, runId: id, mayPrime: true, clock, log, signal };
  const found = await findTasks(search);
  phases.add(`discovery of ${suite}`, clock.now() - began);
  const arms = job.policies.map(({ arm }) => arm);
  const { baseline } = job;
  const planning = { host, inputs, suite, found, arms, run, stopBaseline: baseline.stop?.digest ?? null };
  const held = await planHeldOut(job.heldOut ?? null, planning, search);
  const plan = await planFor({ ...planning, heldOut: held?.claim });
  const stopBaseline = requireUsable(plan, protocolOf(plan, host, found), baseline);
  reportProblems(droppedProblems(plan, baseline), log);
  reportProblems((await job.foresee?.(plan, protocolOf(plan, host, found))) ?? [], log);
  await sayPlan({ verb, host, plan, found });
  const observed = { plan, found, inputs, context: run };
  const accepted = await refuseOtherPlan({ ...observed, host });
  for (const each of accepted) log.warning(each);
  const { policies, suites } = job;
  const entitled = { verb, host, plan, heldOutPlan: held?.plan ?? null, found, runId: id, suites, policies };
  const authority = await authorize({ ...entitled, inputs, context: run, clock, log });
  if (held !== null)
    await recordOverlap(host.workspace, overlapOf(held, { id, suite, authority, clock }), log);
  const request = {
    host,
    remarks: accepted,
    plan,
    authority,
    stopBaseline,
    found,
    runId: id,
    again: againCommand({ inputs, context: run, suite, runId: id }),
    inputs,
    context: run,
    policies,
    recordsPolicies: recordsPolicies(inputs, run, policies),
    lane: job.lane,
    phases,
    template: job.template,
    secrets: secretsOf(verb.env),
    clock,
    log,
    signal,
  };
  return measurePlan({ ...request, heldOut: heldOutStep(job.heldOut ?? null, held, request) });
}

function overlapOf(
  { claim, openToo }: HeldOutPlan,
  of: { id: string; suite: string; authority: Authority; clock: Clock },
): Overlap {
  const { id, suite, authority, clock } = of;
  const at = new Date(clock.now()).toISOString();
  return { at, runId: id, suite, ...claim, openToo, selectedToo: authority.selectedToo ?? 0 };
}

async function meetPolicies(
  { verb, host, run }: BenchmarkRequest & { readonly host: OpenHost },
  phases: Phases,
): Promise<readonly ArmPolicy[]> {
  const { inputs, clock, log, signal } = verb;
  const began = clock.now();
  const { policy } = host.endpoints;
  // `openHost` refuses a host without one.
  if (policy === null) throw new Error('no policy endpoint');
  requireRecordable(inputs, run, [
    policy,
    ...(inputs.baselineEndpoint === null ? [] : [inputs.baselineEndpoint]),
  ]);
  const met = [await meetPolicy({ arm: 'candidate', endpoint: policy, inputs, clock, log, signal })];
  const { baselineEndpoint: endpoint } = inputs;
  if (endpoint !== null)
    met.push(await meetPolicy({ arm: 'baseline', endpoint, inputs, clock, log, signal }));
  phases.add('waiting for the policy', clock.now() - began);
  requireTwoPolicies(met, inputs.aaTest);
  return met;
}
