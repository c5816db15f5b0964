import * as path from 'node:path';
import { commandLine } from '../../inputs/command-line.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { RunContext } from '../../platform/run-context.ts';

interface AgainRequest {
  readonly inputs: Pick<Inputs, 'given' | 'workspace'>;
  readonly context: Pick<RunContext, 'kind' | 'githubRunId' | 'repository'>;
  readonly suite: string;
  /** Of the public run, where held-out cells belong to it. */
  readonly runId: string;
}

/**
 * The command with which a run goes on that did not come to its end: a workflow job is run again, since a terminal does
 * not know its commit, and a command line is the same one with the id of the run.
 */
export function againCommand({ inputs, context, suite, runId }: AgainRequest): string {
  const { kind, githubRunId, repository } = context;
  if (kind === 'github')
    return `gh run rerun ${githubRunId ?? '<id>'}${repository === null ? '' : ` --repo ${repository}`}`;
  const workspace = path.resolve(inputs.workspace ?? '.');
  return commandLine({
    verb: 'run',
    inputs,
    change: { workspace, suite, resume: runId },
    absolute: (each) => path.resolve(each),
  });
}
