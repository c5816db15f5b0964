/** What a run is for, in one word; what each of them sets is in `inputs/presets.ts`. */
export const PRESET_NAMES = ['smoke', 'pr', 'nightly', 'release'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];
