import { problemLine } from '../../errors/rb-error.ts';
import { type BranchSnapshot, readBranch } from '../../github/branch-snapshot.ts';
import { GitHubFailure, problemsOf } from '../../github/failure.ts';
import { baselinePath, parseBaseline } from '../../history/baseline.ts';
import type { Connection } from '../connection.ts';
import type { VerbContext } from '../verb.ts';
import { eventNotes } from './event-facts.ts';
import type { AcceptedLookup } from './read-baseline.ts';
import type { EventFacts } from './ref-standing.ts';

/** The report branch as it is now; a text says why it cannot be read. */
export async function branchSnapshot(
  { inputs, log }: VerbContext,
  { unauthenticated }: EventFacts,
  github: Connection | null,
): Promise<BranchSnapshot | string | null> {
  const branch = inputs.reportBranch;
  if (github === null || branch === 'none') return null;
  // A fork's token reads all the same: the baseline is what its result is compared with.
  try {
    return await readBranch(github.client, github.repository, branch);
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    if (error instanceof GitHubFailure && error.kind === 'permission') {
      // As without a token: the workflow chose not to have a branch, so there is nothing that could be compared with.
      log.warning(`${problems.map(problemLine).join(' ')} Until then only floors decide.`);
      return null;
    }
    const why = problems.map(({ message }) => message).join(' ');
    if (!unauthenticated) log.warning(`The report branch cannot be read: ${why}`);
    return why;
  }
}

/** How to find the accepted baseline of a suite on the base branch, or another file of its kind. */
export function acceptedOn(
  snapshot: BranchSnapshot | string | null,
  facts: EventFacts,
  pathOf: (suite: string, branch: string) => string = baselinePath,
): AcceptedLookup {
  const { baseBranch } = facts;
  return async (suite) => {
    if (snapshot === null) return null;
    if (baseBranch === null) return { none: eventNotes(facts).noBase ?? '' };
    if (typeof snapshot === 'string') return snapshot;
    const file = pathOf(suite, baseBranch);
    try {
      return parseBaseline(file, await snapshot.read(file));
    } catch (error) {
      const problems = problemsOf(error);
      if (problems === null) throw error;
      return problems.map(({ message }) => message).join(' ');
    }
  };
}
