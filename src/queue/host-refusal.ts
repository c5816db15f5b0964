import { problemLine, RbError } from '../errors/rb-error.ts';
import { hostFailure } from '../workspace/problems.ts';

/** What the host refused (a full disk, a document that cannot be edited), in words; null for a bug. */
export function hostRefusal(error: unknown): string | null {
  if (error instanceof RbError) return error.message;
  const problem = hostFailure(error);
  return problem === null ? null : problemLine(problem);
}
