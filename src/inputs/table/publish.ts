import { EXPORTS } from '../../model/exports.ts';
import { isMargin } from '../../verdict/margin.ts';
import { looksLikeClaim, readClaim } from '../../verdict/published-claim.ts';
import * as kinds from './kinds.ts';
import { input } from './row.ts';

/** `auto`, `none`, a path, or a published count such as `486/500` or `97.2% of 500`. */
const baseline = kinds.kind('auto, none, same, path or published count', (text) => {
  if (text === 'auto' || text === 'none' || text === 'same') return { kind: text } as const;
  if (!looksLikeClaim(text)) return { kind: 'path', path: text } as const;
  const claim = readClaim(text, 'input baseline');
  if ('problem' in claim)
    return new kinds.Wrong(claim.problem.message.replace(/\.$/, ''), claim.problem.code, claim.problem.fix);
  return { kind: 'count', ...claim } as const;
});

/** `auto`, `none` or a path: a count has no cells that could be followed over many merges. */
const anchor = kinds.kind('auto, none or path', (text) => {
  if (text === 'auto' || text === 'none') return { kind: text } as const;
  if (!looksLikeClaim(text)) return { kind: 'path', path: text } as const;
  return new kinds.Wrong('must be auto, none or a path; a published count has no cells');
});

const margin = kinds.kind('rate', (text) => {
  const value = kinds.rateOf(text);
  if (value instanceof kinds.Wrong || isMargin(value)) return value;
  return new kinds.Wrong('must lie above 0 and below 1 (100%)', 'RB601');
});

const exported = kinds.kind(
  'list of exports',
  (text): readonly (typeof EXPORTS)[number][] | kinds.Wrong => {
    const names = kinds.listItems(text);
    const known = EXPORTS.filter((name) => names.includes(name));
    return known.length > 0 && known.length === names.length
      ? known
      : new kinds.Wrong(`must name each once, of ${EXPORTS.join(' and ')}`);
  },
  true,
);

/** The name, never the address: this text is shown, and a config file is read by everybody. */
const variable = kinds.kind('name of a variable', (text) => {
  if (/^(?!GITHUB_|ACTIONS_|INPUT_|RUNNER_|STATE_)[A-Z_][A-Z0-9_]{0,99}$/.test(text)) return text;
  const why = 'must be the name of an environment variable in capital letters, and no address';
  return new kinds.Wrong(why, 'RB102', null, true);
});

/** What the candidate is held against, and where the report goes. */
export const PUBLISH_INPUTS = {
  bundle: input(kinds.paths, {
    key: 'bundles',
    level: 'input',
    default: null,
    otherwise: 'every bundle artifact of the measuring workflow run',
    description: 'Bundles for `mode: report`: folders or archives, as paths; one per suite or shard.',
    example: 'bundles/gh42-evaluate-libero_spatial/attempt-1',
  }),
  results: input(kinds.paths, {
    key: 'results',
    level: 'everyday',
    short: 'result files of other evaluation tools, for mode report',
    default: null,
    otherwise: 'no results of other tools',
    description:
      'Result files of other evaluation tools for `mode: report`, as paths; `*`, `?` and `**` match. They are imported and reported on like bundles.',
    example: 'eval/**/eval_info.json',
    modes: ['report'],
  }),
  'results-planned': input(kinds.text('tasks times initial states', 200), {
    key: 'resultsPlanned',
    level: 'input',
    default: null,
    otherwise: 'what the result files declare, else unknown',
    description:
      'What was meant to be measured by the tool that wrote `results`, tasks times initial states: `10x50`, or ids as `3-7x0-9`; a third factor is the runs of each. What is missing of it counts.',
    example: '10x50',
    modes: ['report'],
  }),
  baseline: input(baseline, {
    key: 'baseline',
    level: 'input',
    default: 'auto',
    description:
      'What the candidate is compared with: `auto` is the last accepted run of the base branch; otherwise a bundle, results.json or episodes.jsonl by path, while measuring also the id of a run of this host, a published count such as `486/500` or `97.2% of 500`, or `none`. `same`: the second policy of this run (`baseline-endpoint`, `baseline-command`) is the same one on purpose, so that the difference should be zero and what remains is rerun noise.',
    example: 'baselines/episodes.jsonl',
  }),
  'max-regression': input(margin, {
    key: 'maxRegression',
    level: 'everyday',
    short: 'largest drop against the baseline that passes; by default 5%',
    default: '0.05',
    description:
      'Largest drop of the success rate against the baseline that still passes (the non-inferiority margin).',
    example: '3%',
  }),
  anchor: input(anchor, {
    key: 'anchor',
    default: 'auto',
    description:
      'What the candidate is held against beside the baseline, so that small drops over many merges add up: `auto` is the last release, else the first accepted run of the protocol, from the report branch; otherwise a bundle, episodes.jsonl or accepted baseline by path, or `none`.',
    example: 'baselines/release-2.jsonl',
    modes: ['report', 'all'],
  }),
  'max-regression-since-anchor': input(margin, {
    key: 'maxRegressionSinceAnchor',
    default: null,
    otherwise: 'twice `max-regression`',
    description: 'Largest drop of the success rate since the anchor that still passes.',
    example: '8%',
  }),
  'on-trend-alarm': input(kinds.choice(['warn', 'fail']), {
    key: 'onTrendAlarm',
    default: 'warn',
    description:
      'What a drift of the success rate over the runs of a branch does: the alarm is a warning, or it fails the step. It never changes the verdict.',
    example: 'fail',
    modes: ['report', 'all'],
  }),
  'trend-issue': input(kinds.bool, {
    key: 'trendIssue',
    default: 'false',
    description:
      'Whether a drift opens an issue, one for each suite and branch, updated while the alarm stands. Needs `issues: write`.',
    example: 'true',
    modes: ['report', 'all'],
  }),
  exports: input(exported, {
    key: 'exports',
    default: null,
    otherwise: 'none',
    description:
      "Files for other tools in the bundle's folder `exports`: `wandb`, a JSON for `wandb.init(config)` and `log`; `hf-model-card`, the model-index of a model card. Nothing is sent anywhere.",
    example: 'wandb, hf-model-card',
    modes: ['run', 'all'],
  }),
  notify: input(variable, {
    key: 'notify',
    default: null,
    otherwise: 'nobody is notified',
    description:
      'Name of the environment variable that holds the https address of a webhook (Slack, Mattermost and the like), set at the step from a secret. The report tells it of release verdicts and drifts, never of forks.',
    example: 'SLACK_WEBHOOK',
    modes: ['report'],
  }),
  'report-template': input(kinds.path, {
    key: 'reportTemplate',
    default: null,
    otherwise: 'our own report',
    description: 'Mustache file that replaces the Markdown report; every value is escaped for Markdown.',
    example: 'benchmark/report.mustache',
  }),
  comment: input(kinds.choice(['short', 'full', 'on-change', 'off']), {
    key: 'comment',
    level: 'input',
    default: 'short',
    description:
      'The comment on the pull request, one that is updated in place. `short`: verdict, change and the tasks that fell, all else folded; `full`: nothing folded; `on-change`: as `short`, and none is begun while a PASS changed nothing; `off`: none.',
    example: 'on-change',
    modes: ['report', 'all'],
  }),
  progress: input(kinds.bool, {
    key: 'progress',
    default: 'false',
    description:
      'Whether the comment says that the benchmark is running, and that it was interrupted, until the result replaces it. For `mode: all` with `suite` given.',
    example: 'true',
    modes: ['all'],
  }),
  check: input(kinds.text('name', 100), {
    key: 'check',
    level: 'input',
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
      level: 'input',
      default: 'rollout-bench',
      description:
        'Branch that keeps history, accepted baselines and the page; it is created when missing, and `none` leaves it out. Needs `contents: write`.',
      example: 'benchmark-results',
      modes: ['report', 'all'],
    },
  ),
  'pages-url': input(
    kinds.text('address', 300, {
      regex: /^https:\/\/[^\s?#]+$/,
      why: 'must be an https address without query',
    }),
    {
      key: 'pagesUrl',
      default: null,
      otherwise: 'links go to the files on the branch',
      description:
        'Where GitHub Pages serves the report branch; links then lead to each episode on the page.',
      example: 'https://owner.github.io/robot-policies',
      modes: ['report', 'all'],
    },
  ),
  'pr-number': input(kinds.int(1, 2_147_483_647), {
    key: 'prNumber',
    level: 'input',
    default: null,
    otherwise: 'found by the event or the measured commit',
    description: 'Pull request that gets the comment; its head commit must be the measured one.',
    example: '42',
    modes: ['report', 'all', 'approve'],
  }),
  'github-token': input(kinds.text('token', 1000), {
    key: 'githubToken',
    level: 'input',
    default: null,
    otherwise: "the job's own token",
    description: 'Token for publishing. Mode `run` never uses it. Never put it into the config file.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub's, not of JavaScript
    example: '${{ github.token }}',
    modes: ['report', 'all', 'approve'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
    actionDefault: '${{ github.token }}',
  }),
};
