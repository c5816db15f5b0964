import { problemLine } from '../../errors/rb-error.ts';
import { type BranchSnapshot, readBranch } from '../../github/branch-snapshot.ts';
import { GitHubFailure, problemsOf } from '../../github/failure.ts';
import { baselinePath, parseBaseline } from '../../history/baseline.ts';
import type { Connection } from '../connection.ts';
import type { VerbContext } from '../verb.ts';
import { eventNotes } from './event-facts.ts';
import type { AcceptedLookup } from './read-baseline.ts';
import type { EventFacts } from './ref-standing.ts';

/** The report branch as it is now; `none` where the job uses none, or may not see it. */
export type BranchLook =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'read'; readonly snapshot: BranchSnapshot };

/** Looks at the report branch once, for everything that is asked of it. */
export async function lookAtBranch(
  { inputs, log }: VerbContext,
  { unauthenticated }: EventFacts,
  github: Connection | null,
): Promise<BranchLook> {
  const branch = inputs.reportBranch;
  if (github === null || branch === 'none') return { kind: 'none' };
  // A fork's token reads all the same: the baseline is what its result is compared with.
  try {
    return { kind: 'read', snapshot: await readBranch(github.client, github.repository, branch) };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) throw error;
    if (error instanceof GitHubFailure && error.kind === 'permission') {
      // As without a token: the workflow chose not to have a branch, so there is nothing that could be compared with.
      log.warning(`${problems.map(problemLine).join(' ')} Until then only floors decide.`);
      return { kind: 'none' };
    }
    const why = problems.map(({ message }) => message).join(' ');
    if (!unauthenticated) log.warning(`The report branch cannot be read: ${why}`);
    return { kind: 'unreadable', why };
  }
}

/** How to find the accepted baseline of a suite on the base branch, or another file of its kind. */
export function acceptedOn(
  look: BranchLook,
  facts: EventFacts,
  pathOf: (suite: string, branch: string) => string = baselinePath,
): AcceptedLookup {
  const { baseBranch } = facts;
  return async (suite) => {
    if (look.kind === 'none') return { kind: 'none', note: null };
    if (baseBranch === null) return { kind: 'none', note: eventNotes(facts).noBase ?? '' };
    if (look.kind === 'unreadable') return look;
    const file = pathOf(suite, baseBranch);
    try {
      const baseline = parseBaseline(file, await look.snapshot.read(file));
      return baseline === null ? { kind: 'none', note: null } : { kind: 'accepted', baseline };
    } catch (error) {
      const problems = problemsOf(error);
      if (problems === null) throw error;
      return { kind: 'unreadable', why: problems.map(({ message }) => message).join(' ') };
    }
  };
}
