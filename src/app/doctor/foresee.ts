import type { TargetDescription } from '../../describe/description.ts';
import { type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { Undescribed } from '../../job/prepare/discover.ts';
import type { QueueDocuments } from '../../job/prepare/documents.ts';
import { lookAtBaseline, type NamedBaseline } from '../../job/prepare/named-baseline.ts';
import { type OpenHost, openHost } from '../../job/prepare/open-host.ts';
import { planFor } from '../../job/prepare/plan-for.ts';
import { planWarnings } from '../../job/prepare/plan-warnings.ts';
import { protocolOf } from '../../job/prepare/protocol.ts';
import { readTasksFile } from '../../job/prepare/read-tasks-file.ts';
import { requireRecordable } from '../../job/prepare/record-policy.ts';
import { withBaselineOfHost } from '../../job/runs/baseline-on-host.ts';
import { earlierPace } from '../../job/runs/earlier-runs.ts';
import type { VerbContext } from '../../job/verb.ts';
import { benchmarkEvidenceProblems } from '../../plan/benchmark-evidence.ts';
import { chooseSuites } from '../../plan/choose-suites.ts';
import { discoverTasks } from '../../plan/discovery.ts';
import { isDoubtfulSuite, unlistedSuite } from '../../plan/suite-name.ts';
import { type TasksFile, tasksOf } from '../../plan/task-languages.ts';
import { purposeOf, type RunContext } from '../../platform/run-context.ts';
import { expectationMismatches } from '../../policy/expectation.ts';
import type { CheckedPair } from './check-workspace.ts';
import type { Probes } from './probes.ts';

interface ForeseeRequest {
  readonly verb: VerbContext;
  readonly run: RunContext;
  readonly pair: CheckedPair | null;
  /** What the workspace's own checks have read; null when it is none. */
  readonly documents: QueueDocuments | null;
  readonly probes: Probes;
}

/**
 * What a run with these inputs would refuse or warn of beyond the workspace itself: by the run's own checks, with the answers
 * that the servers gave. Nothing is queued or asked again; a part that needs an answer which is not there is left out.
 */
export async function foreseenRefusals(request: ForeseeRequest): Promise<readonly Problem[]> {
  const { verb, run, pair, documents } = request;
  const found = new Gathered();
  const inputs = (await found.of(() => withBaselineOfHost(verb.inputs))) ?? verb.inputs;
  const target = pair?.chosen?.target ?? null;
  const choice = target === null ? null : chooseSuites(inputs.suites, target);
  found.add((choice?.problems ?? []).map((each): Problem => ({ ...each, severity: 'warning' })));
  const suites = choice?.suites ?? inputs.suites ?? [];
  found.add((await lookAtBaseline(inputs, suites.length === 0 ? null : suites)).problems);
  const tasksFile =
    inputs.tasksFile === null ? null : await found.of(() => readTasksFile(inputs.tasksFile ?? ''));
  if (suites.length > 0 && inputs.planFile !== null) {
    const { requirePlanFile } = await import('../../job/prepare/refuse-other-plan.ts');
    await found.of(() => requirePlanFile(inputs.planFile, suites));
  }
  await found.of(async () => requireRecordable(inputs, run, policiesOf(pair, inputs)));
  found.add(otherPolicy(request.probes, inputs));
  // What the documents lack was told; without a host there is nothing to plan on.
  const host =
    target === null || documents === null
      ? null
      : await openHost(inputs, { policy: false, examined: documents }).catch(onlyRefusals);
  if (host !== null) {
    const asked = { host, suites, inputs, context: run, clock: verb.clock };
    if ((inputs.purpose === 'auto' ? purposeOf(run) : inputs.purpose) === 'release') {
      const { refuseUnqualifiedRelease } = await import('../../job/authorize/rely-on-qualification.ts');
      await found.of(() => refuseUnqualifiedRelease(asked));
    }
    for (const suite of suites)
      await foreseeSuite({ ...request, inputs, host, suite, tasksFile: tasksFile ?? null }, found);
  }
  return found.problems;
}

/** Problems of checks that each may refuse. */
class Gathered {
  readonly problems: Problem[] = [];

  add(problems: readonly Problem[]): void {
    this.problems.push(...problems);
  }

  /** The answer of a check, or null and its problems. */
  async of<T>(check: () => Promise<T>): Promise<T | null> {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof RbError)) throw error;
      this.add(error.problems);
      return null;
    }
  }
}

function onlyRefusals(error: unknown): null {
  if (error instanceof RbError) return null;
  throw error;
}

function policiesOf(pair: CheckedPair | null, inputs: Inputs): string[] {
  return [pair?.endpoints?.policy ?? null, inputs.baselineEndpoint].filter((endpoint) => endpoint !== null);
}

function otherPolicy({ policy }: Probes, { expectPolicy }: Inputs): Problem[] {
  if (!policy.asked || policy.answer === null || expectPolicy === null) return [];
  const wrong = expectationMismatches(expectPolicy, policy.answer);
  if (wrong.length === 0) return [];
  return [
    problemOf('RB352', {
      where: 'input expect-policy',
      message: `this is not the expected policy: ${wrong.join('; ')}.`,
      fix: 'Start the policy that is meant, or correct expect-policy.',
    }),
  ];
}

interface SuiteRequest extends ForeseeRequest {
  readonly inputs: Inputs;
  readonly host: OpenHost;
  readonly suite: string;
  readonly tasksFile: TasksFile | null;
}

async function foreseeSuite(request: SuiteRequest, found: Gathered): Promise<void> {
  const { host, suite, tasksFile } = request;
  const answer = answerOf(request);
  const described = answer !== null && !('unavailable' in answer) ? answer.suite : null;
  const configured = host.target.config['benchmark_name'];
  const names = [described, typeof configured === 'string' ? configured : null];
  const written = tasksFile !== null && tasksOf(tasksFile, suite) !== null;
  const known = written || (await earlierPace(host.workspace, suite)) !== null;
  if (!known && isDoubtfulSuite(suite, names)) found.add([unlistedSuite(suite, described)]);
  else if (answer !== null) await found.of(() => foreseePlan(request, answer, found));
}

/** Null while the server did not answer: then nothing is known of its tasks. */
function answerOf({ host, probes: { target } }: SuiteRequest): TargetDescription | Undescribed | null {
  if (host.endpoints.target === null) return { unavailable: 'the target has no endpoint to ask' };
  return target.asked ? target.answer : null;
}

/** @throws RbError as a run with this plan. */
async function foreseePlan(
  { host, inputs, suite, run, tasksFile }: SuiteRequest,
  description: TargetDescription | Undescribed,
  found: Gathered,
): Promise<void> {
  const { config } = host.target;
  const discovery = discoverTasks({
    suite,
    wanted: inputs.tasks,
    description,
    primed: false,
    config,
    tasksFile,
  });
  const described = 'unavailable' in description ? null : description;
  found.add(benchmarkEvidenceProblems(host.target, described, inputs.evidence));
  if (discovery.kind === 'refused') found.add(discovery.problems);
  // A primer session of the run makes the server list the others.
  if (discovery.kind !== 'found') return;
  found.add(discovery.warnings);
  const { tasks, source, why } = discovery;
  const listed = {
    tasks,
    source,
    why,
    primer: null,
    description: described,
  };
  const { named } = await lookAtBaseline(inputs, [suite]);
  const stopBaseline = named.stop?.digest ?? null;
  const plan = await planFor({ host, inputs, suite, found: listed, run, stopBaseline });
  const pace = await earlierPace(host.workspace, suite);
  found.add(await planWarnings(host, plan, { pace, baseline: inputs.baseline.kind, found: listed }));
  if (inputs.planFile !== null) {
    const { refuseOtherPlan } = await import('../../job/prepare/refuse-other-plan.ts');
    await found.of(async () => {
      await refuseOtherPlan({ host, plan, found: listed, inputs, context: run });
    });
  }
  if (isNamed(named)) {
    const { droppedProblems, requireUsable } = await import('../../job/prepare/usable-baseline.ts');
    found.add(droppedProblems(plan, named));
    requireUsable(plan, protocolOf(plan, host, listed), named);
  }
}

/** What judges a baseline and a plan file is loaded only for them: most hosts are looked at without. */
function isNamed({ content, anchor }: NamedBaseline): boolean {
  return content !== null || anchor !== null;
}
