import type { Problem } from '../../errors/rb-error.ts';
import type { Lane } from '../../lane/held-lane.ts';
import type { Plan } from '../../model/plan.ts';
import type { Clock } from '../../platform/ports.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { PolicyArms } from '../../policy-process/policy-arms.ts';
import { secretsOf } from '../../screen/secrets.ts';
import type { Fingerprint } from '../../verdict/fingerprint.ts';
import type { Authority } from '../authorize/authority.ts';
import { authorize } from '../authorize/authorize.ts';
import { refuseUnqualifiedRelease } from '../authorize/rely-on-qualification.ts';
import { reportProblems } from '../guard.ts';
import { findTasks } from '../prepare/find-tasks.ts';
import type { HeldOutGuard } from '../prepare/held-out-guard.ts';
import type { HeldOutPlan } from '../prepare/held-out-plans.ts';
import { meetPolicies } from '../prepare/meet-policies.ts';
import type { OpenHost } from '../prepare/open-host.ts';
import { openJob, searchOf } from '../prepare/open-job.ts';
import { type PlannedSuite, type PlanningJob, planFound, planningJob } from '../prepare/plan-found.ts';
import type { ArmPolicy } from '../prepare/policies.ts';
import { type PolicySources, policySources } from '../prepare/policy-source.ts';
import { protocolOf } from '../prepare/protocol.ts';
import { recordsPolicies } from '../prepare/record-policy.ts';
import { refuseOtherPlan, requirePlanFile } from '../prepare/refuse-other-plan.ts';
import { sayPlan } from '../prepare/say-plan.ts';
import { policyArms } from '../prepare/start-policies.ts';
import { againCommand } from '../runs/again.ts';
import { runIds } from '../runs/run-ids.ts';
import type { VerbContext } from '../verb.ts';
import { type Overlap, recordOverlap } from './held-out-overlaps.ts';
import { heldOutStep } from './held-out-step.ts';
import { measurePlan } from './measure-plan.ts';
import type { MeasuredPlan, PlanToMeasure } from './measured-plan.ts';
import { createPhases, type Phases } from './phases.ts';
import { oneAfterTheOther, untilResumable } from './suites-in-turn.ts';
import { onHost } from './take-host.ts';

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
  /** The cells of this job that are named nowhere; null: none. */
  readonly heldOut: HeldOutGuard | null;
  /** What would be said of a plan by who decides later; null: nothing. */
  readonly foresee: Foresight | null;
  /** Told as soon as the ids are known, so that a post step can find them. */
  readonly onRun: (workspace: string) => void;
}

/** What would be said of a plan before it is measured. */
export type Foresight = (plan: Plan, fingerprint: Fingerprint) => Promise<readonly Problem[]>;

/** A job that has its host. */
interface RunningJob extends PlanningJob, Pick<BenchmarkRequest, 'template' | 'foresee'> {
  readonly lane: Lane;
  readonly policies: readonly ArmPolicy[];
  /** What the policies are started from that this run starts. */
  readonly sources: PolicySources;
  /** Gives each arm its turn; null: all are there all the time. */
  readonly turns: PolicyArms | null;
  /** Policies that this run started; null: none. */
  readonly arms: PolicyArms | null;
  readonly phases: Phases;
  /** Id of the run of a suite: the same wherever it is shown. */
  readonly idOf: (suite: string) => string;
}

/**
 * The main job up to its bundles: the host is opened and taken, the policies are met, then each suite is planned, authorized and
 * measured. Everything finished is kept whatever happens; the host is left as it was.
 * @throws RbError when nothing could be begun (exit 2, 3 or 75); nothing was queued then.
 */
export async function runBenchmark(request: BenchmarkRequest): Promise<Benchmark> {
  const { verb, run, template, foresee } = request;
  const { inputs, clock } = verb;
  const phases = createPhases();
  const checkedAt = clock.now();
  const opened = await openJob(verb, run, { policy: true });
  const { suites } = opened;
  await requirePlanFile(inputs.planFile, suites);
  const job = await planningJob(opened, request.heldOut);
  const idOf = runIds(verb, run);
  request.onRun(job.host.workspace);
  return onHost(job, suites.map(idOf), async ({ host, lane, earlierMs }) => {
    phases.add('preconditions', clock.now() - checkedAt - lane.waitedMs - earlierMs);
    phases.add('waiting for the lane', lane.waitedMs);
    if (earlierMs > 0) phases.add('waiting for a session of an earlier run', earlierMs);
    await refuseUnqualifiedRelease({ host, suites, inputs, context: run, clock });
    const open = { ...job, template, foresee, host, lane, phases, idOf };
    const done = await withPolicies(open, (running) =>
      oneAfterTheOther(running, (suite) => oneSuite(running, suite)),
    );
    return { context: run, host, template, suites: done, notBegun: suites.slice(done.length) };
  });
}

/** Starts the policies that are to be started, meets all, and ends those again. */
async function withPolicies<T>(
  open: Omit<RunningJob, 'policies' | 'sources' | 'turns' | 'arms'>,
  work: (running: RunningJob) => Promise<T>,
): Promise<T> {
  const { verb, run, host, suites, idOf, phases } = open;
  const { inputs, env, clock, signal } = verb;
  const arms = policyArms({ verb, workspace: host.workspace, runId: idOf(suites[0] ?? '') });
  try {
    const began = clock.now();
    const sources = await policySources(inputs, env);
    const met = await meetPolicies({ verb, run, endpoint: host.endpoints.policy, arms, sources });
    phases.add('waiting for the policy', clock.now() - began);
    const { policies, sequential } = met;
    // How the arms are measured is part of the plan, and decided now.
    const decided = { ...verb, inputs: { ...inputs, arms: sequential ? 'sequential' : 'together' } as const };
    return await work({ ...open, verb: decided, policies, sources, arms, turns: sequential ? arms : null });
  } finally {
    await arms?.stop(signal.aborted ? 'hurried' : 'calm');
  }
}

async function oneSuite(job: RunningJob, suite: string): Promise<MeasuredPlan> {
  const { verb, run, host, suites, policies } = job;
  const { inputs, clock, log } = verb;
  const runId = job.idOf(suite);
  await job.lane.serve(runId);
  await untilResumable(job, runId);
  const planned = await planOnHost(job, suite, runId);
  const { plan, found, held } = planned;
  const remarks = await refuseOtherPlan({ host, plan, found, inputs, context: run, sources: job.sources });
  for (const each of remarks) log.warning(each);
  const heldOutPlan = held?.plan ?? null;
  const entitled = { verb, host, plan, heldOutPlan, found, runId, suites, policies, inputs, context: run };
  const authority = await authorize({ ...entitled, clock, log });
  if (held !== null)
    await recordOverlap(host.workspace, overlapOf(held, { id: runId, suite, authority, clock }), log);
  const request = toMeasure(job, planned, { authority, remarks, runId });
  return measurePlan({ ...request, heldOut: heldOutStep(job.heldOut, held, request) });
}

/** The plan of a suite, with what is about to happen said before anything of it is queued. */
async function planOnHost(job: RunningJob, suite: string, runId: string): Promise<PlannedSuite> {
  const { verb, host, phases } = job;
  const began = verb.clock.now();
  const search = searchOf(job, suite, { runId, mayPrime: true });
  const found = await findTasks(search);
  phases.add(`discovery of ${suite}`, verb.clock.now() - began);
  const planned = await planFound(job, found, search);
  const { plan } = planned;
  reportProblems((await job.foresee?.(plan, protocolOf(plan, host, found))) ?? [], verb.log);
  await sayPlan({ verb, host, plan, found });
  return planned;
}

function toMeasure(
  { verb, run, host, lane, policies, sources, turns, arms, phases, template }: RunningJob,
  { plan, found, stopBaseline }: PlannedSuite,
  own: Pick<PlanToMeasure, 'authority' | 'remarks' | 'runId'>,
): PlanToMeasure {
  const { inputs, clock, log, signal } = verb;
  return {
    ...own,
    host,
    plan,
    stopBaseline,
    found,
    again: againCommand({ inputs, context: run, suite: plan.suite, runId: own.runId }),
    inputs,
    context: run,
    policies,
    sources,
    turns,
    loan: { env: verb.env, arms },
    recordsPolicies: recordsPolicies(inputs, run, policies),
    lane,
    phases,
    template,
    secrets: secretsOf(verb.env),
    clock,
    log,
    signal,
  };
}

function overlapOf(
  { claim, openToo }: HeldOutPlan,
  of: { id: string; suite: string; authority: Authority; clock: Clock },
): Overlap {
  const { id, suite, authority, clock } = of;
  const at = new Date(clock.now()).toISOString();
  return { at, runId: id, suite, ...claim, openToo, selectedToo: authority.selectedToo ?? 0 };
}
