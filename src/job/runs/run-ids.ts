import { randomBytes } from 'node:crypto';
import { runId } from '../../plan/ids.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { VerbContext } from '../verb.ts';

/**
 * The ids of the runs of this program, by suite. Its time and random part are taken once, so that an id is the same
 * wherever it is shown: by whoever waits for the host, in `status`, and on the folder.
 */
export function runIds(
  { inputs, clock }: Pick<VerbContext, 'inputs' | 'clock'>,
  { githubRunId, job }: Pick<RunContext, 'githubRunId' | 'job'>,
): (suite: string) => string {
  const { shard, resume } = inputs;
  const part = shard === null ? {} : { shard: `${shard.index}of${shard.count}` };
  const begun = { nowMs: clock.now(), randomHex: randomBytes(4).toString('hex') };
  return (suite) => {
    if (resume !== null) return resume;
    if (githubRunId === null) return runId({ kind: 'cli', ...begun, suite });
    return runId({ kind: 'github', githubRunId, job: job ?? 'job', suite, ...part });
  };
}
