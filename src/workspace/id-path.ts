import * as path from 'node:path';
import { isPlainName, staysBelow } from '../base/plain-name.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';

/** Ids that one message names. */
const NAMED = 5;

/**
 * The path of something that is named by an id from a document. Every path that is made from such an id comes from
 * here: whoever writes the document chooses the id.
 * @throws RbError RB524 (exit 3) when it would lead out of the folder, or can be no name.
 */
export function pathOfId(folder: string, id: string): string {
  if (!staysBelow(id)) throw new RbError(EXIT.refused, idProblems([id], folder));
  return path.join(folder, ...id.split('/'));
}

/** RB524 for ids that are no name of one folder, all in one problem; empty when there is none. Pure. */
export function idProblems(ids: readonly string[], where: string): Problem[] {
  const odd = ids.filter((id) => !isPlainName(id));
  if (odd.length === 0) return [];
  const more = odd.length > NAMED ? ` and ${odd.length - NAMED} more` : '';
  return [
    problemOf('RB524', {
      where,
      message: `${odd.length === 1 ? 'a session id is' : `${odd.length} session ids are`} no name for a folder, and nothing is written outside of its place.`,
      value: `${odd
        .slice(0, NAMED)
        .map((id) => JSON.stringify(id.slice(0, 100)))
        .join(', ')}${more}`,
    }),
  ];
}

/** Where the runtime keeps the files of a session. @throws RbError RB524 as `pathOfId`. */
export function runtimeArtifacts(workspace: string, sessionId: string): string {
  return pathOfId(path.join(workspace, 'artifacts', 'runtime'), sessionId);
}
