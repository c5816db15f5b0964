import { PINNED_FIELDS } from '../../plan/pinned-fields.ts';
import * as kinds from './kinds.ts';
import { PRESET_NAMES } from './preset-names.ts';
import { input } from './row.ts';

/** What is measured: workspace, target, suite, episodes and their limits. */
export const MEASURE_INPUTS = {
  mode: input(kinds.choice(['run', 'report', 'all', 'qualify', 'approve']), {
    key: 'mode',
    level: 'everyday',
    short: 'which part of the job: run, report, all (the default), qualify or approve',
    default: 'all',
    description:
      '`run` measures and seals the bundle on the simulation host and succeeds whatever the rates are; `report` takes bundles, on any runner, decides and publishes; `all` does both in one job. `qualify` shows that the benchmark tells good from bad, with policies of its own. `approve` reads an approval back from GitHub for the plan and keeps it on the host.',
    example: 'run',
  }),
  preset: input(kinds.choice(PRESET_NAMES), {
    key: 'preset',
    level: 'everyday',
    short: 'smoke, pr, nightly or release: cells, floor, margin, purpose in one word',
    default: null,
    otherwise: 'each value by itself',
    description:
      'What the run is for, in one word, which sets cells, floor, margin, purpose and how many runs keep their evidence: `smoke`, `pr`, `nightly` or `release`. Every value that is given anywhere wins over it; `rollout-bench plan --preset` says what it means here.',
    example: 'pr',
    modes: ['run', 'report', 'all', 'qualify', 'approve'],
  }),
  purpose: input(kinds.choice(['auto', 'pr', 'release', 'schedule']), {
    key: 'purpose',
    level: 'input',
    default: 'auto',
    description:
      'Why this is measured. `auto` follows the event: a pull request is `pr`, a tag `release`, a schedule `schedule`; anything else, as on the command line, is `adhoc`.',
    example: 'release',
  }),
  config: input(kinds.path, {
    key: 'config',
    level: 'everyday',
    short: 'file of settings; by default .github/rollout-bench.yml',
    default: null,
    otherwise: '.github/rollout-bench.yml, if the checkout has it',
    description: 'YAML file whose keys are inputs and settings. An input given directly wins over the file.',
    example: '.github/rollout-bench.yml',
  }),
  workspace: input(kinds.path, {
    key: 'workspace',
    level: 'everyday',
    short: 'folder of the runtime on the simulation host',
    default: null,
    otherwise: 'required',
    description: 'Folder of the runtime on the simulation host, with TARGETS.md and SESSIONS.md.',
    example: '/srv/phyagentos/workspace',
  }),
  dialect: input(kinds.choice(['june', 'july', 'august']), {
    key: 'dialect',
    default: null,
    otherwise: 'by the keys of the documents',
    description:
      'Dialect of the runtime that reads the workspace, by the month of its version in 2026, where its documents do not tell or tell wrongly.',
    example: 'july',
  }),
  target: input(kinds.reference('target://'), {
    key: 'target',
    level: 'input',
    default: null,
    otherwise: 'the only one that fits',
    description: 'Simulation target of TARGETS.md.',
    example: 'libero_real_remote',
  }),
  skillruntime: input(kinds.reference('skillruntime://'), {
    key: 'skillruntime',
    default: null,
    otherwise: 'the only one that fits',
    description: 'Policy skill runtime of SKILLRUNTIME.md.',
    example: 'pi05_libero_remote',
  }),
  suite: input(kinds.names, {
    key: 'suites',
    level: 'everyday',
    short: 'suites, such as libero_spatial,libero_10',
    default: null,
    otherwise: "`benchmark_name` of the target's config",
    description: 'Suite or suites. Each gets its own plan and bundle, one after the other.',
    example: 'libero_spatial, libero_10',
  }),
  tasks: input(kinds.rangesOrAll, {
    key: 'tasks',
    level: 'input',
    default: 'all',
    description: 'Task ids of each suite.',
    example: '0-4,7',
  }),
  'init-states': input(kinds.ranges, {
    key: 'initStates',
    level: 'everyday',
    short: 'initial states of each task; by default 0-9',
    default: '0-9',
    description: 'Initial states of each task.',
    example: '0-49',
  }),
  repeats: input(kinds.int(1, 1000), {
    key: 'repeats',
    default: '1',
    description: 'How often each initial state of each task is run.',
    example: '3',
  }),
  'tasks-file': input(kinds.path, {
    key: 'tasksFile',
    default: null,
    otherwise: 'the target describes its tasks',
    description:
      'YAML or JSON file with task languages by suite and task id, for targets that cannot describe themselves.',
    example: 'benchmark/tasks.yml',
  }),
  'plan-file': input(kinds.path, {
    key: 'planFile',
    level: 'input',
    default: null,
    otherwise: 'whatever the inputs say is run',
    description:
      'Plan that `rollout-bench plan --out` wrote. Nothing is run when the inputs would give another one; the message names what differs.',
    example: 'benchmark/plan.json',
    modes: ['run', 'all'],
  }),
  'accept-pins': input(kinds.choices(PINNED_FIELDS), {
    key: 'acceptPins',
    default: null,
    otherwise: 'none',
    description:
      'What may differ between the pins of a plan by `plan-file` or by `approval` and what is observed, by name. Everything else that differs is refused. The pull request under test cannot accept pins of an approved plan.',
    example: 'dist, simulator-version',
    modes: ['approve', 'run', 'all'],
  }),
  evidence: input(kinds.choice(['simulator', 'session']), {
    key: 'evidence',
    default: 'simulator',
    description:
      "What proves which task and initial state an episode ran: the `simulator`'s own account, or, for a target that gives none, the target that the `session` named and the session's own success. The second is weaker, labelled as such, and carries no release.",
    example: 'session',
  }),
  seed: input(kinds.int(0, Number.MAX_SAFE_INTEGER), {
    key: 'seed',
    default: '0',
    description: 'Seed of the order in which episodes run. It does not reach simulator or policy.',
    example: '7',
  }),
  'max-steps': input(kinds.int(1, 1_000_000), {
    key: 'maxSteps',
    default: null,
    otherwise:
      '220, 280, 300, 520, 400 for LIBERO spatial, object, goal, 10, 90; otherwise as the target has it',
    description: 'Simulator steps after which an episode has failed.',
    example: '300',
  }),
  'max-policy-calls': input(kinds.int(1, 1_000_000), {
    key: 'maxPolicyCalls',
    default: null,
    otherwise: 'equal to the step limit',
    description: 'Policy calls of an episode; never below the step limit.',
    example: '300',
  }),
};
