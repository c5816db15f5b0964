/** What a suite needs when the user says nothing. Steps are simulator steps. */
interface SuiteDefaults {
  readonly benchmark: string;
  readonly maxSteps: number;
  readonly settleSteps: number;
  /** Of each task. */
  readonly initStates: number;
  /** Ids are 0 to this, exclusive. */
  readonly tasks: number;
}

/** No-op steps before the policy acts; the objects of a scene are still falling at first. */
const LIBERO_SETTLE_STEPS = 10;

const LIBERO_INIT_STATES = 50;
/** All but libero_90, which has 90. */
const LIBERO_TASKS = 10;

/** Step caps that published LIBERO results use. */
const LIBERO_STEP_CAPS: Readonly<Record<string, number>> = {
  libero_spatial: 220,
  libero_object: 280,
  libero_goal: 300,
  libero_10: 520,
  libero_90: 400,
};

/** Defaults of a known suite, null for one that only its target's config can describe. */
export function suiteDefaults(suite: string): SuiteDefaults | null {
  if (!Object.hasOwn(LIBERO_STEP_CAPS, suite)) return null;
  const maxSteps = LIBERO_STEP_CAPS[suite];
  if (maxSteps === undefined) return null;
  return {
    benchmark: 'libero',
    maxSteps,
    settleSteps: LIBERO_SETTLE_STEPS,
    initStates: LIBERO_INIT_STATES,
    tasks: suite === 'libero_90' ? 90 : LIBERO_TASKS,
  };
}

/** Names of the suites that defaults are known for. */
export const KNOWN_SUITES: readonly string[] = Object.keys(LIBERO_STEP_CAPS);

/** The benchmark a suite belongs to: `libero` for every `libero_…` suite, otherwise the suite's own name. */
export function benchmarkOf(suite: string): string {
  return suite === 'libero' || suite.startsWith('libero_') ? 'libero' : suite;
}
