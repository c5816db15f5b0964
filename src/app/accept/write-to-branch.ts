import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import type { Repository } from '../../github/client.ts';
import { problemsOf } from '../../github/failure.ts';
import { type BranchOutcome, ReportBranch } from '../../github/report-branch.ts';
import { connectTo } from '../../job/connection.ts';
import type { VerbContext } from '../../job/verb.ts';

/**
 * Publishes to the report branch by the environment's token; unlike in a report a failure ends the verb, since nothing
 * else was asked for.
 * @throws RbError RB833 (exit 2) without a repository or token, exit 4 when it cannot be written, and refusals (exit 3) as
 * they are.
 */
export async function writeToBranch(
  verb: VerbContext,
  publish: (branch: ReportBranch, repository: Repository) => Promise<BranchOutcome>,
): Promise<BranchOutcome> {
  const { GITHUB_TOKEN: token = null, GITHUB_REPOSITORY: name = null } = verb.env;
  const connection = verb.inputs.reportBranch === 'none' ? null : connectTo(verb, token, name);
  if (connection === null) throw noRepository();
  const { client, repository } = connection;
  try {
    return await publish(new ReportBranch(client, repository), repository);
  } catch (error) {
    if (error instanceof RbError && error.exitCode === EXIT.refused) throw error;
    const problems = problemsOf(error);
    if (problems === null) throw error;
    throw new RbError(
      EXIT.noVerdict,
      problems.map((problem) => ({ ...problem, severity: 'fatal' })),
      { cause: error },
    );
  }
}

function noRepository(): RbError {
  const problem: Problem = problemOf('RB833', {
    where: 'environment',
    message: 'there is no repository, token or report branch to write the baseline to.',
  });
  return new RbError(EXIT.usage, [problem]);
}
