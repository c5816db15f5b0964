import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { expect } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { readJournal } from '../../../src/journal/journal.ts';
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { planSchema } from '../../../src/model/plan.ts';
import { resultsSchema } from '../../../src/model/results.ts';
import { called } from '../app/verb-context.ts';
import { leftOversIn } from '../queue/bench-run.ts';

interface Commands {
  readonly candidate: string;
  readonly baseline?: string;
}

/**
 * Runs with these commands in a workspace, in which nothing of them may be left. `WHERE` marks all that is started;
 * `more` are options of the command line, `env` variables of the program beside PATH and HOME.
 */
export async function startedRun(
  workspace: string,
  commands: Commands,
  more: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const { PATH = '', HOME = '' } = process.env;
  const call = await called(
    [
      ...['run', '--workspace', workspace, '--suite', 'libero_spatial', '--json', '--policy-wait', '60s'],
      ...['--policy-command', commands.candidate],
      ...(more.includes('--policy-env') ? [] : ['--policy-env', 'WHERE']),
      ...(more.includes('--policy-directory') ? [] : ['--policy-directory', workspace]),
      ...(commands.baseline === undefined ? [] : ['--baseline-command', commands.baseline]),
      ...more,
    ],
    { PATH, HOME, WHERE: workspace, ...env },
  );
  const exitCode = await run(call.verb).catch((error: unknown) => {
    if (error instanceof RbError) return error;
    throw error;
  });
  expect(await leftOversIn(workspace)).toEqual([]);
  expect(await readdir(hostFolder(workspace).policies).catch(() => [])).toEqual([]);
  const outputs: Record<string, string> = call.printed() === '' ? {} : JSON.parse(call.printed());
  return { exitCode, outputs, bundle: outputs['bundle-path'] ?? '', log: call.log.lines };
}

/** What a sealed attempt holds. */
export async function bundleOf(folder: string) {
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(path.join(folder, name), 'utf8'));
  return {
    plan: planSchema.parse(await json('plan.json')),
    results: resultsSchema.parse(await json('results.json')),
    journal: (await readJournal(folder)).records.map(({ event }) => event),
    text: await readFile(path.join(folder, 'report.html'), 'utf8'),
  };
}
