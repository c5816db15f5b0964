import * as kinds from './kinds.ts';
import { input } from './row.ts';

/** What decides, and where the results go. */
export const VERDICT_INPUTS = {
  'min-success-rate': input(kinds.rate, {
    key: 'minSuccessRate',
    level: 'everyday',
    short: 'floor of the success rate, such as 90%',
    default: null,
    otherwise: 'no floor',
    description: 'Floor of the success rate of each suite.',
    example: '90%',
  }),
  'min-task-success-rate': input(kinds.rate, {
    key: 'minTaskSuccessRate',
    level: 'input',
    default: null,
    otherwise: 'no floor',
    description: 'Floor of the success rate of every single task.',
    example: '0.5',
  }),
  'threshold-mode': input(kinds.choice(['point', 'lower-bound']), {
    key: 'thresholdMode',
    level: 'input',
    default: 'point',
    description: 'Whether the measured rate must reach the floor, or the one-sided 95 % lower bound of it.',
    example: 'lower-bound',
  }),
  'early-stop': input(kinds.bool, {
    key: 'earlyStop',
    level: 'input',
    default: 'false',
    description:
      'Stops as soon as the verdict is proven, with the errors of a whole run. Needs a floor, a baseline by local path, or `baseline-endpoint`; not with `shard`.',
    example: 'true',
  }),
  'on-inconclusive': input(kinds.choice(['auto', 'pass', 'fail']), {
    key: 'onInconclusive',
    level: 'input',
    default: 'auto',
    description:
      'Whether an INCONCLUSIVE verdict lets the step pass with a warning. `auto` is fail for a release and pass otherwise.',
    example: 'fail',
  }),
  'allow-dropped-tasks': input(kinds.bool, {
    key: 'allowDroppedTasks',
    default: 'false',
    description:
      'Lets a plan that leaves out tasks of the baseline PASS; without it such a run is INCONCLUSIVE. For a pull request the word counts only if the config file of the base commit says it.',
    example: 'true',
  }),
  'report-dir': input(kinds.path, {
    key: 'reportDir',
    level: 'input',
    default: null,
    otherwise: 'the bundle and the workspace; `report` writes none',
    description: 'Folder that also receives the rendered report.',
    example: 'benchmark-report',
  }),
  'artifact-name': input(
    kinds.text('name', 200, {
      regex: /^[^":<>|*?\r\n\\/]+$/,
      why: 'must not hold any of " : < > | * ? \\ /',
    }),
    {
      key: 'artifactName',
      level: 'input',
      default: null,
      otherwise: 'from suite, job and attempt',
      description: 'Name of the artifact with the bundle.',
      example: 'rollout-bench-nightly',
    },
  ),
  'artifact-content': input(kinds.choice(['auto', 'redacted', 'full']), {
    key: 'artifactContent',
    default: 'auto',
    description:
      'Whether host paths, claim tokens and tracebacks are removed from the uploaded copy. `auto` is redacted in public repositories and full otherwise.',
    example: 'redacted',
  }),
};
