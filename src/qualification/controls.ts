import type { EpisodeRecord, Outcome } from '../model/episode-record.ts';
import type { ControlResult, Qualification } from '../model/qualification.ts';
import type { Verdict } from '../model/verdict.ts';
import type { ControlManner } from '../policy/control-server.ts';
import { givenPercent } from '../stats/rounding.ts';

/** How the episodes of a control must end. */
type Expectation = 'failures' | 'below the gate' | 'adapter error' | 'timeout' | 'gate reached';

/** A policy of known quality and what the benchmark must say about it. */
export interface Control {
  readonly name: string;
  readonly kind: 'negative' | 'positive';
  /** Null: a server of the user's. */
  readonly manner: ControlManner | null;
  readonly expects: Expectation;
  readonly cells: number;
}

/** In the order in which they run: a session that times out may still hold the simulator, so it comes last. */
const NEGATIVE_CONTROLS: readonly Control[] = [
  { name: 'no-motion', kind: 'negative', manner: 'no-motion', expects: 'failures', cells: 2 },
  { name: 'random', kind: 'negative', manner: 'random', expects: 'below the gate', cells: 2 },
  { name: 'liar', kind: 'negative', manner: 'liar', expects: 'failures', cells: 1 },
  { name: 'wrong-width', kind: 'negative', manner: 'wrong-width', expects: 'adapter error', cells: 1 },
  { name: 'too-slow', kind: 'negative', manner: 'too-slow', expects: 'timeout', cells: 1 },
];

const EXPERT: Control = {
  name: 'expert',
  kind: 'positive',
  manner: null,
  expects: 'gate reached',
  cells: 2,
};

/** The controls of a qualification, with the user's expert first where there is one. */
export function controlsFor(hasExpert: boolean): readonly Control[] {
  return hasExpert ? [EXPERT, ...NEGATIVE_CONTROLS] : NEGATIVE_CONTROLS;
}

/** What happened to a control: its records and the verdict by the gate alone. */
export interface ControlRun {
  readonly records: readonly EpisodeRecord[];
  readonly verdict: Verdict;
  readonly gate: number;
}

/** Codes with which the runtime answers an action of the wrong shape. */
const ADAPTER_CODES: ReadonlySet<string> = new Set(['ADAPTER', 'POLICY_PROTOCOL']);
/** Nothing was measured: an outcome like these says something about the host alone. */
const DID_NOT_RUN: ReadonlySet<Outcome> = new Set(['not_run', 'after_stop', 'lost', 'cancelled', 'rejected']);
const EPISODE_ENDS: ReadonlySet<Outcome> = new Set([
  'success',
  'failure',
  'timed_out',
  'error',
  ...DID_NOT_RUN,
]);

/** What a control must show, in words. Pure. */
export function expectedText({ expects }: Control, gate: number): string {
  const rate = `${givenPercent(gate)} %`;
  switch (expects) {
    case 'failures':
      return 'every episode a failure';
    case 'below the gate':
      return `success rate below ${rate}`;
    case 'adapter error':
      return `an error with code ${[...ADAPTER_CODES].join(' or ')}, no failure and no success`;
    case 'timeout':
      return 'timed out, no failure and no success';
    case 'gate reached':
      return `success rate of at least ${rate}`;
  }
}

/** What a control did show, in words: outcomes with their codes, and the verdict where one counts. Pure. */
export function observedText({ expects }: Control, { records, verdict }: ControlRun): string {
  const ends = records.map(({ outcome, errorCode }) =>
    errorCode === null ? outcome : `${outcome} (${errorCode})`,
  );
  const counts = [...new Set(ends)].map((end) => `${ends.filter((each) => each === end).length} ${end}`);
  const gated = expects === 'below the gate' || expects === 'gate reached';
  return `${counts.join(', ') || 'no episode'}${gated ? `; ${verdict} by the gate` : ''}`;
}

/** Did the benchmark say what it must say of this policy? Pure. */
export function judgeControl(control: Control, run: ControlRun): ControlResult['state'] {
  const { records, verdict } = run;
  if (records.length === 0 || records.some((record) => didNotRun(control, record))) return 'skipped';
  return meets(control.expects, records, verdict) ? 'ok' : 'misbehaved';
}

function meets(expects: Expectation, records: readonly EpisodeRecord[], verdict: Verdict): boolean {
  const all = (test: (record: EpisodeRecord) => boolean): boolean => records.every(test);
  switch (expects) {
    case 'failures':
      return all(({ outcome }) => outcome === 'failure');
    case 'below the gate':
      return verdict === 'FAIL';
    case 'adapter error':
      return all(({ outcome, errorCode }) => outcome === 'error' && ADAPTER_CODES.has(errorCode ?? ''));
    case 'timeout':
      return all(({ outcome }) => outcome === 'timed_out');
    case 'gate reached':
      return verdict === 'PASS';
  }
}

/**
 * An episode that the host did not carry to its end shows nothing about the benchmark. An outcome that only damaged or
 * contradictory evidence has (conflict, mismatch, missing) shows something: no control may end like that.
 */
function didNotRun({ expects }: Control, { outcome, errorCode }: EpisodeRecord): boolean {
  if (DID_NOT_RUN.has(outcome)) return true;
  if (!EPISODE_ENDS.has(outcome)) return false;
  if (expects === 'adapter error')
    return outcome === 'timed_out' || (outcome === 'error' && isHostCode(errorCode));
  if (expects === 'timeout') return outcome === 'error' && isHostCode(errorCode);
  return outcome === 'timed_out' || outcome === 'error';
}

/** Target or policy connection gone: no answer of any policy came as far as the adapter. */
function isHostCode(code: string | null): boolean {
  return code === null || code.startsWith('TARGET_') || code === 'POLICY_CONNECTION';
}

/** What controls and damaged evidence come to, as a qualification says it. Pure. */
export function conclusionOf(
  controls: readonly ControlResult[],
  mutants: Qualification['mutants'],
): Pick<Qualification, 'qualified' | 'controls' | 'mutants' | 'skipped' | 'positiveControl'> {
  const positive = controls.find(({ kind, state }) => kind === 'positive' && state === 'ok');
  return {
    qualified: controls.every(({ state }) => state === 'ok') && mutants.every(({ ok }) => ok),
    controls: [...controls],
    mutants,
    skipped: controls.filter(({ state }) => state === 'skipped').map(({ name }) => name),
    positiveControl: positive?.name ?? null,
  };
}

/** Has a control only episodes that the simulator finished? Only such evidence can be damaged in every way. Pure. */
export function hasFinishedEpisodes({ episodes }: Pick<ControlResult, 'episodes'>): boolean {
  return episodes.every(({ outcome }) => outcome === 'failure' || outcome === 'success');
}

/** What a control showed, from its sealed evidence. Pure. */
export function resultOf(
  control: Control,
  run: ControlRun,
  manifestSha256: ControlResult['manifestSha256'],
): ControlResult {
  return {
    name: control.name,
    kind: control.kind,
    expected: expectedText(control, run.gate),
    observed: observedText(control, run),
    state: judgeControl(control, run),
    episodes: run.records.map(({ outcome, errorCode, steps }) => ({
      outcome,
      errorCode,
      steps,
    })),
    manifestSha256,
  };
}
