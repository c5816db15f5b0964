import * as z from 'zod';
import { problemsOf } from '../../github/failure.ts';
import { readConfigFile } from '../../inputs/config-file.ts';
import { DEFAULT_CONFIG, type Inputs, readInputs } from '../../inputs/read-inputs.ts';
import type { Reason } from '../../model/verdict.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { Measurement } from '../../results/measurement.ts';
import { type GivenRules, stricterRules } from '../../verdict/stricter.ts';
import type { Connection } from '../connection.ts';
import type { VerbContext } from '../verb.ts';
import { fileAt, rulingFiles } from './base-files.ts';
import type { EventFacts } from './ref-standing.ts';

const SHOWN_FILES = 10;
/** Which of them measured is not said to the run that reports. */
const WORKFLOWS = '.github/workflows';

/** Rules that judge a measurement beside its own plan's, and what to say about them. */
export interface OtherRules {
  readonly given: readonly GivenRules[];
  /** Whether tasks of the baseline may be left out; null: as the plan says. */
  readonly droppedTasks: boolean | null;
  readonly warnings: readonly Reason[];
}

/** What the inputs say about the verdict; a default says nothing. Pure. */
function rulesOf(inputs: Inputs): GivenRules {
  const said = (name: keyof Inputs['origins']): boolean => inputs.origins[name] !== 'default';
  return {
    minSuccessRate: inputs.minSuccessRate,
    minTaskSuccessRate: inputs.minTaskSuccessRate,
    thresholdMode: said('threshold-mode') ? inputs.thresholdMode : null,
    maxRegression: said('max-regression') ? inputs.maxRegression : null,
    onInconclusive: inputs.onInconclusive === 'auto' ? null : inputs.onInconclusive,
    ...(inputs.maxRegressionSinceAnchor === null
      ? {}
      : { maxRegressionSinceAnchor: inputs.maxRegressionSinceAnchor }),
  };
}

/** A default says nothing: then the plan's own word counts. */
function ownWord(inputs: Inputs): boolean | null {
  return inputs.origins['allow-dropped-tasks'] === 'default' ? null : inputs.allowDroppedTasks;
}

/** The measurement under the strictest of all rules; its plan digest still names what was measured. Pure. */
export function underRules(measurement: Measurement, { given, droppedTasks }: OtherRules): Measurement {
  const { allowDroppedTasks: planned, ...rules } = given.reduce(stricterRules, measurement.plan.thresholds);
  const allowed = droppedTasks ?? planned === true;
  const thresholds = { ...rules, ...(allowed ? { allowDroppedTasks: true as const } : {}) };
  return {
    ...measurement,
    plan: { ...measurement.plan, thresholds },
    results: { ...measurement.results, thresholds },
  };
}

interface RulesRequest {
  readonly context: Pick<RunContext, 'baseCommit' | 'headCommit' | 'eventName'>;
  readonly facts: Pick<EventFacts, 'pull'>;
  readonly github: Connection | null;
}

/** The rules beside a measurement's own, by what this job runs for. */
export function rulesFor(
  verb: Pick<VerbContext, 'inputs' | 'env'>,
  { context, facts, github }: RulesRequest,
): Promise<OtherRules> {
  const pull = facts.pull?.kind === 'event' ? facts.pull.pull : null;
  if (github === null || pull === null || context.eventName !== 'workflow_run')
    return otherRules(verb, context, github);
  return rulesOfDistantPull(verb, { base: pull.baseSha, head: pull.headSha }, github);
}

/**
 * The rules of this job, and for a pull request those of its base commit too: a pull request can edit the config file
 * that it is judged by, so the stricter of both counts, and what it edited is said in the report.
 */
async function otherRules(
  { inputs, env }: Pick<VerbContext, 'inputs' | 'env'>,
  { baseCommit, headCommit }: Pick<RunContext, 'baseCommit' | 'headCommit'>,
  github: Connection | null,
): Promise<OtherRules> {
  const own = rulesOf(inputs);
  const droppedTasks = ownWord(inputs);
  if (github === null || baseCommit === null) return { given: [own], droppedTasks, warnings: [] };
  const given: GivenRules[] = [own];
  const edited: string[] = [];
  let wordOfBase = false;
  const guarded = new Set(inputs.protectedPaths ?? []);
  try {
    for (const file of await rulingFiles(env, inputs.config)) {
      const before = await fileAt(github, file.path, baseCommit);
      const atBase = file.kind === 'config' && before !== null ? inputsAtBase(before, inputs) : null;
      wordOfBase ||= atBase?.allowDroppedTasks === true;
      if (before === file.text) continue;
      edited.push(file.path);
      if (atBase === null) continue;
      given.push(rulesOf(atBase));
      // A pull request cannot lift the protection of what it edits.
      for (const path of atBase.protectedPaths ?? []) guarded.add(path);
    }
    if (guarded.size > 0 && headCommit !== null) {
      const commits = { base: baseCommit, head: headCommit };
      edited.push(...(await protectedEdits(github, commits, [...guarded])));
    }
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    const why = problems.map(({ message }) => message).join(' ');
    return { given, droppedTasks: false, warnings: [unreadable(why)] };
  }
  if (edited.length === 0) return { given, droppedTasks, warnings: [] };
  return { given, droppedTasks: wordOfBase, warnings: [measurementChanged([...new Set(edited)])] };
}

/**
 * The same where the report runs by itself on the default branch (`workflow_run`): what rules there is not the pull
 * request's, but the settings it was measured with may be, and only a comparison shows what it edits.
 */
async function rulesOfDistantPull(
  { inputs, env }: Pick<VerbContext, 'inputs' | 'env'>,
  commits: { readonly base: string; readonly head: string },
  github: Connection,
): Promise<OtherRules> {
  const given = [rulesOf(inputs)];
  const here = (await rulingFiles(env, inputs.config)).map(({ path }) => path);
  const paths = [...new Set([...here, DEFAULT_CONFIG, WORKFLOWS, ...(inputs.protectedPaths ?? [])])];
  try {
    const edited = await protectedEdits(github, commits, paths);
    if (edited.length === 0) return { given, droppedTasks: ownWord(inputs), warnings: [] };
    const warnings = [measurementChanged([...new Set(edited)])];
    return { given, droppedTasks: inputs.allowDroppedTasks, warnings };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    const why = problems.map(({ message }) => message).join(' ');
    const text = `What the pull request edits of the measurement could not be read: ${why.slice(0, 300)}`;
    return { given, droppedTasks: inputs.allowDroppedTasks, warnings: [{ code: 'base_rules_unread', text }] };
  }
}

/** Read for the preset of this job: the base may hold it to more than other ones. */
export function inputsAtBase(config: string, { preset }: Pick<Inputs, 'preset'>): Inputs {
  const raw = preset === null ? {} : { preset };
  const read = readConfigFile(config, 'the config file at the base commit');
  // What an earlier version called otherwise is no rule of a verdict, and must not hide those that are.
  const problems = read.problems.filter(({ code }) => code !== 'RB115');
  return readInputs(raw, { ...read, problems }, { required: [] });
}

function measurementChanged(files: readonly string[]): Reason {
  const shown = files.slice(0, SHOWN_FILES).join(' and ');
  const more = files.length > SHOWN_FILES ? ` and ${files.length - SHOWN_FILES} more` : '';
  const text = `Measurement changed: the change edits ${shown}${more}. The floors and margin of the base commit's config apply too, the stricter of both.`;
  return { code: 'measurement_changed', text };
}

function unreadable(why: string): Reason {
  const text = `The rules of the base commit could not be read, so only those of this commit apply: ${why.slice(0, 300)}`;
  return { code: 'base_rules_unread', text };
}

/** GitHub lists no more files of a comparison than this. */
const LISTED_FILES = 300;
const PURPOSE = {
  what: 'compare the protected paths with the base commit',
  permissions: ['contents: read'],
} as const;

const compareSchema = z.object({
  files: z
    .array(z.object({ filename: z.string(), previous_filename: z.string().optional() }))
    .max(10 * LISTED_FILES)
    .optional(),
});

/**
 * Protected files that a pull request edits, moves or removes, in one request; whatever is beyond GitHub's list counts as
 * edited, for nobody knows.
 * @param paths files and folders inside the repository, with `/`.
 * @throws GitHubFailure when the comparison cannot be read.
 */
async function protectedEdits(
  github: Connection,
  commits: { readonly base: string; readonly head: string },
  paths: readonly string[],
): Promise<string[]> {
  const { files = [] } = await github.client.request({
    route: 'GET /repos/{owner}/{repo}/compare/{base}...{head}',
    params: { ...github.repository, ...commits, per_page: 1 },
    schema: compareSchema,
    purpose: PURPOSE,
  });
  const touched = files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [filename, before],
  );
  const edited = touched.filter((file) => paths.some((path) => isBelow(file, path)));
  return files.length < LISTED_FILES ? edited : [...edited, `more than ${LISTED_FILES} files`];
}

function isBelow(file: string, path: string): boolean {
  const place = path.replace(/^\.\//, '').replace(/\/+$/, '');
  return file === place || file.startsWith(`${place}/`);
}
