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
  comment: input(kinds.bool, {
    key: 'comment',
    default: 'true',
    description: 'Whether the pull request gets the report as one comment that is updated in place.',
    example: 'false',
    modes: ['report', 'all'],
  }),
  check: input(kinds.text('name', 100), {
    key: 'check',
    default: null,
    otherwise: 'no check run',
    description: 'Name of a check run on the measured commit, for branch protection. Needs `checks: write`.',
    example: 'rollout-bench',
    modes: ['report', 'all'],
  }),
  'report-branch': input(
    kinds.text('branch or none', 200, {
      regex: /^(?!\/)(?!.*(?:\.\.|\/\/|@\{))[A-Za-z0-9._/-]+$/,
      why: 'must be the name of a branch, or none',
    }),
    {
      key: 'reportBranch',
      default: 'rollout-bench',
      description:
        'Branch that keeps history, accepted baselines and the page; it is created when missing, and `none` leaves it out. Needs `contents: write`.',
      example: 'benchmark-results',
      modes: ['report', 'all'],
    },
  ),
  'pr-number': input(kinds.int(1, 2_147_483_647), {
    key: 'prNumber',
    default: null,
    otherwise: 'found by the event or the measured commit',
    description: 'Pull request that gets the comment; its head commit must be the measured one.',
    example: '42',
    modes: ['report', 'all'],
  }),
  'github-token': input(kinds.text('token', 1000), {
    key: 'githubToken',
    default: null,
    otherwise: "the job's own token",
    description: 'Token for publishing. Mode `run` never uses it. Never put it into the config file.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's, not of JavaScript
    example: '${{ github.token }}',
    modes: ['report', 'all'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
    actionDefault: '${{ github.token }}',
  }),
};
