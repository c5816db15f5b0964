import { problemLine } from '../../errors/rb-error.ts';
import { readQueueDocuments } from '../doctor/documents.ts';

/** Why the runtime would do nothing with the documents as they are, by its own rules; null when it would accept them. */
export async function whyRefused(workspace: string): Promise<string | null> {
  const { targets, skillruntimes, sessions } = await readQueueDocuments(workspace);
  const problems = [...targets.problems, ...skillruntimes.problems, ...sessions.problems];
  const fatal = problems.find(({ severity }) => severity === 'fatal');
  return fatal === undefined ? null : `the runtime refuses a document: ${problemLine(fatal)}`;
}
