import { tryMutants } from '../../job/authorize/try-mutants.ts';
import { protocolOf } from '../../job/prepare/protocol.ts';
import { earlierPace } from '../../job/runs/earlier-runs.ts';
import { keepQualification, keptQualifications } from '../../job/runs/keep-qualification.ts';
import {
  type ControlResult,
  QUALIFICATION_SCHEMA_ID,
  type Qualification,
} from '../../model/qualification.ts';
import { askedOf, boundOf } from '../../qualification/bound.ts';
import {
  type Control,
  conclusionOf,
  controlsFor,
  expectedText,
  hasFinishedEpisodes,
} from '../../qualification/controls.ts';
import { costText, DAMAGE_PHASE, lastSeconds, shortTimeoutS } from '../../qualification/cost.ts';
import { controlPlan } from './control-plan.ts';
import { type DoneControl, type QualifyContext, runControl } from './run-control.ts';

/** Runs all controls of a suite, damages their evidence, and keeps what came out on the host. */
export async function qualifySuite(
  context: QualifyContext,
  before: Qualification['phases'],
): Promise<Qualification> {
  const { verb, host, id } = context;
  const startedAt = new Date(verb.clock.now()).toISOString();
  const controls = controlsFor(verb.inputs.expertEndpoint !== null);
  const [first] = controls;
  if (first === undefined) throw new Error('a qualification without controls');
  // As it is before the first episode: that is what the controls are about.
  const bound = boundHere(context, first);
  verb.log.info(await costOf(context, controls, first));
  const done = await runControls(context, controls);
  const began = verb.clock.now();
  const mutants = await tryMutants(verb.signal.aborted ? null : evidenceOf(done), verb.env);
  const mutantsMs = verb.clock.now() - began;
  const results = controls.map((control) => done.get(control.name)?.result ?? notRun(control, context.gate));
  const made: Qualification = {
    schema: QUALIFICATION_SCHEMA_ID,
    id,
    startedAt,
    qualifiedAt: new Date(verb.clock.now()).toISOString(),
    bound,
    gate: context.gate,
    ...conclusionOf(results, mutants),
    phases: [...before, ...[...done.values()].map(({ phase }) => phase), phase(DAMAGE_PHASE, mutantsMs)],
    policyUnderTestUsed: false,
    statement: 'no policy under test used',
  };
  await keepQualification(host.workspace, made, verb.signal.aborted);
  return made;
}

/** A part of a qualification that used no simulator. */
export function phase(name: string, ms: number): Qualification['phases'][number] {
  return { name, ms: Math.max(0, Math.round(ms)), episodes: 0, simulatorSteps: 0, stepsUnknown: 0 };
}

async function costOf(
  context: QualifyContext,
  controls: readonly Control[],
  first: Control,
): Promise<string> {
  const { host, suite, verb } = context;
  const { kept } = await keptQualifications(host.workspace);
  return costText({
    suite,
    controls,
    maxSteps: controlPlan(context, first, verb.inputs.sessionTimeoutS).limits.maxSteps,
    secondsPerEpisode: (await earlierPace(host.workspace, suite))?.secondsPerEpisode ?? null,
    sessionTimeoutS: verb.inputs.sessionTimeoutS,
    lastSeconds: lastSeconds(
      kept,
      { suite, target: host.target.id, skillruntime: host.skillruntime },
      controls,
    ),
  });
}

/** One after the other; the first that does not come to its end is the last, because the host has a problem then. */
async function runControls(
  context: QualifyContext,
  controls: readonly Control[],
): Promise<ReadonlyMap<string, DoneControl>> {
  const { verb } = context;
  const done = new Map<string, DoneControl>();
  for (const control of controls) {
    if (verb.signal.aborted) break;
    const timeoutS =
      control.expects === 'timeout'
        ? shortTimeoutS(buildSeconds(done), verb.inputs.sessionTimeoutS)
        : verb.inputs.sessionTimeoutS;
    const ran = await runControl(context, control, timeoutS);
    done.set(control.name, ran);
    verb.log.info(`${control.name} ${ran.result.state}: ${ran.result.observed}`);
    if (ran.end.end === 'complete') continue;
    verb.log.warning(`${control.name} ended ${ran.end.end}: ${ran.end.reason ?? 'unknown'}`);
    break;
  }
  return done;
}

/** The shortest session before tells how long the simulator takes to be built; null when it did not tell. */
function buildSeconds(done: ReadonlyMap<string, DoneControl>): number | null {
  const ms = done.get('wrong-width')?.longestMs ?? null;
  return ms === null ? null : ms / 1000;
}

/** The first bundle with finished episodes will do: damage is the same whatever the policy did. */
function evidenceOf(done: ReadonlyMap<string, DoneControl>): string | null {
  const usable = [...done.values()].find(
    ({ bundleDir, result }) => bundleDir !== null && hasFinishedEpisodes(result),
  );
  return usable?.bundleDir ?? null;
}

function notRun(control: Control, gate: number): ControlResult {
  return {
    name: control.name,
    kind: control.kind,
    expected: expectedText(control, gate),
    observed: 'not run',
    state: 'skipped',
    episodes: [],
    manifestSha256: null,
  };
}

/** The target's part of the fingerprint is the same whatever is planned on it. */
function boundHere(context: QualifyContext, control: Control): Qualification['bound'] {
  const { host, suite, verb, found, tool } = context;
  const plan = controlPlan(context, control, verb.inputs.sessionTimeoutS);
  return boundOf({
    suite,
    skillruntime: host.skillruntime,
    target: host.target.id,
    targetEndpoint: host.endpoints.target,
    contract: host.base.contract,
    fingerprint: protocolOf(plan, host, found),
    asked: askedOf(plan.limits, verb.inputs),
    tool,
  });
}
