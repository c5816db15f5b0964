import { problemsOf } from '../../github/failure.ts';
import { readConfigFile } from '../../inputs/config-file.ts';
import { type Inputs, readInputs } from '../../inputs/read-inputs.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { Measurement } from '../../results/merge-shards.ts';
import { type GivenRules, stricterRules } from '../../verdict/stricter.ts';
import type { Reason } from '../../verdict/verdict.ts';
import type { VerbContext } from '../verb.ts';
import { fileAt, rulingFiles } from './base-files.ts';
import type { Connection } from './connection.ts';
import { protectedEdits } from './protected-paths.ts';

const SHOWN_FILES = 10;

/** Rules that judge a measurement beside its own plan's, and what to say about them. */
export interface OtherRules {
  readonly given: readonly GivenRules[];
  readonly warnings: readonly Reason[];
}

/** What the inputs say about the verdict; a default says nothing. Pure. */
export function rulesOf(inputs: Inputs): GivenRules {
  const said = (name: keyof Inputs['origins']): boolean => inputs.origins[name] !== 'default';
  return {
    minSuccessRate: inputs.minSuccessRate,
    minTaskSuccessRate: inputs.minTaskSuccessRate,
    thresholdMode: said('threshold-mode') ? inputs.thresholdMode : null,
    maxRegression: said('max-regression') ? inputs.maxRegression : null,
    onInconclusive: inputs.onInconclusive === 'auto' ? null : inputs.onInconclusive,
  };
}

/** The measurement under the strictest of all rules; its plan digest still names what was measured. Pure. */
export function underRules(measurement: Measurement, { given }: OtherRules): Measurement {
  const thresholds = given.reduce(stricterRules, measurement.plan.thresholds);
  return {
    ...measurement,
    plan: { ...measurement.plan, thresholds },
    results: { ...measurement.results, thresholds },
  };
}

/**
 * The rules of this job, and for a pull request those of its base commit too: a pull request can edit the config file
 * that it is judged by, so the stricter of both counts, and what it edited is said in the report.
 */
export async function otherRules(
  { inputs, env }: Pick<VerbContext, 'inputs' | 'env'>,
  { baseCommit, headCommit }: Pick<RunContext, 'baseCommit' | 'headCommit'>,
  github: Connection | null,
): Promise<OtherRules> {
  const own = rulesOf(inputs);
  if (github === null || baseCommit === null) return { given: [own], warnings: [] };
  const given: GivenRules[] = [own];
  const edited: string[] = [];
  const guarded = new Set(inputs.protectedPaths ?? []);
  try {
    for (const file of await rulingFiles(env, inputs.config)) {
      const before = await fileAt(github, file.path, baseCommit);
      if (before === file.text) continue;
      edited.push(file.path);
      if (file.kind !== 'config' || before === null) continue;
      const atBase = inputsAtBase(before);
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
    return { given, warnings: [unreadable(problems.map(({ message }) => message).join(' '))] };
  }
  return { given, warnings: edited.length === 0 ? [] : [measurementChanged([...new Set(edited)])] };
}

function inputsAtBase(config: string): Inputs {
  return readInputs({}, readConfigFile(config, 'the config file at the base commit'), { required: [] });
}

function measurementChanged(files: readonly string[]): Reason {
  const shown = files.slice(0, SHOWN_FILES).join(' and ');
  const more = files.length > SHOWN_FILES ? ` and ${files.length - SHOWN_FILES} more` : '';
  const text = `Measurement changed: the pull request edits ${shown}${more}. The floors and margin of the base commit's config apply too, the stricter of both.`;
  return { code: 'measurement_changed', text };
}

function unreadable(why: string): Reason {
  const text = `The rules of the base commit could not be read, so only those of this commit apply: ${why.slice(0, 300)}`;
  return { code: 'base_rules_unread', text };
}
