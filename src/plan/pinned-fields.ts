import type { Pin } from '../model/pins.ts';

/** What of a plan file's pins is held against what is observed, by the name that `accept-pins` takes. */
export const PINNED_FIELDS = [
  'contract',
  'target',
  'skillruntime',
  'runtime',
  'dialect',
  'fingerprint',
  'simulator',
  'simulator-version',
  'initial-states',
  'env-seed',
  'gl-backend',
  'checkpoint',
  'image',
  'dist',
] as const;
export type PinnedField = (typeof PINNED_FIELDS)[number];

/**
 * Names of the pins behind each field. Commit and reference of the policy are not among them, since one plan is agreed on
 * for many; nor is the machine.
 */
const PIN_NAMES: Readonly<Record<PinnedField, readonly string[]>> = {
  contract: ['target contract sha256'],
  target: ['target entry sha256'],
  skillruntime: ['skill runtime entry sha256'],
  runtime: ['RUNTIME.md sha256'],
  dialect: ['runtime dialect'],
  fingerprint: ['target fingerprint'],
  simulator: ['simulator'],
  'simulator-version': ['simulator version'],
  'initial-states': ['initial state files'],
  'env-seed': ['env seed'],
  'gl-backend': ['GL backend', 'GL renderer'],
  checkpoint: ['candidate checkpoint digest'],
  image: ['candidate image digest'],
  dist: ['Rollout Bench', 'Rollout Bench dist sha256'],
};

/** Where one of these differs, the fingerprint does by that alone. */
const IN_FINGERPRINT: ReadonlySet<PinnedField> = new Set([
  'dialect',
  'simulator',
  'simulator-version',
  'initial-states',
  'env-seed',
  'gl-backend',
]);

export interface PinDifference {
  readonly field: PinnedField;
  /** `target contract sha256 was 0a1b…, now 2c3d…` */
  readonly text: string;
}

/**
 * Where what is observed is not what a plan was made with. What nobody could see or said then holds nobody now; what was
 * known then and cannot be seen now is a difference. Pure.
 */
export function pinDifferences(planned: readonly Pin[], now: readonly Pin[]): readonly PinDifference[] {
  const valueIn = (pins: readonly Pin[], wanted: string): string | null =>
    pins.find(({ name }) => name === wanted)?.value ?? null;
  const found = PINNED_FIELDS.flatMap((field) =>
    PIN_NAMES[field].flatMap((name) => {
      const [before, after] = [valueIn(planned, name), valueIn(now, name)];
      if (before === null || before === after) return [];
      return [
        { field, text: `${name} was ${shown(before)}, now ${after === null ? 'unknown' : shown(after)}` },
      ];
    }),
  );
  // Of a target that did not describe itself the fingerprint is another one by that alone.
  const explained =
    valueIn(planned, 'simulator') === null || found.some(({ field }) => IN_FINGERPRINT.has(field));
  return explained ? found.filter(({ field }) => field !== 'fingerprint') : found;
}

/** A plan that was read from a file may hold anything. */
function shown(value: string): string {
  return /^[0-9a-f]{64}$/.test(value) ? value.slice(0, 12) : JSON.stringify(value.slice(0, 60));
}
