import { problemLine, RbError } from '../errors/rb-error.ts';
import { hostFailure } from '../files/problems.ts';

/** What the host refused (a full disk, a document that cannot be edited), without its last full stop; null for a bug. */
export function hostRefusal(error: unknown): string | null {
  const problem = hostFailure(error);
  const text = error instanceof RbError ? error.message : problem === null ? null : problemLine(problem);
  return text?.replace(/\.$/, '') ?? null;
}
