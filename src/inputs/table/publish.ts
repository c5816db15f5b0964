import * as kinds from '../kinds.ts';
import { input } from '../row.ts';

/** `auto`, `none`, a path, or a published count such as `486/500`. */
const baseline = kinds.kind('auto, none, path or k/n', (text) => {
  const count = /^([0-9]{1,9})\/([0-9]{1,9})$/.exec(text);
  if (count !== null) return { kind: 'count', successes: Number(count[1]), n: Number(count[2]) } as const;
  if (text === 'auto' || text === 'none') return { kind: text } as const;
  return { kind: 'path', path: text } as const;
});

/** What the candidate is held against, and where the report goes. */
export const PUBLISH_INPUTS = {
  bundle: input(kinds.names, {
    key: 'bundles',
    default: null,
    otherwise: 'every bundle artifact of the measuring workflow run',
    description: 'Bundles for `mode: report`: folders or archives, as paths; one per suite or shard.',
    example: 'bundles/gh42-evaluate-libero_spatial/attempt-1',
  }),
  baseline: input(baseline, {
    key: 'baseline',
    default: 'auto',
    description:
      'What the candidate is compared with: `auto` is the last accepted run of the base branch; otherwise a bundle, results.json or episodes.jsonl by path, a published count such as `486/500`, or `none`.',
    example: 'baselines/episodes.jsonl',
  }),
  'max-regression': input(kinds.rate, {
    key: 'maxRegression',
    default: '0.05',
    description:
      'Largest drop of the success rate against the baseline that still passes (the non-inferiority margin).',
    example: '3%',
  }),
};
