import * as z from 'zod';
import type { Connection } from '../connection.ts';

/** GitHub lists no more files of a comparison than this. */
const LISTED_FILES = 300;
const PURPOSE = {
  what: 'compare the protected paths with the base commit',
  permissions: ['contents: read'],
} as const;

const compareSchema = z.object({
  files: z
    .array(z.object({ filename: z.string(), previous_filename: z.string().optional() }))
    .max(10 * LISTED_FILES)
    .optional(),
});

/**
 * Protected files that a pull request edits, moves or removes, in one request; whatever is beyond GitHub's list counts as
 * edited, for nobody knows.
 * @param paths files and folders inside the repository, with `/`.
 * @throws GitHubFailure when the comparison cannot be read.
 */
export async function protectedEdits(
  github: Connection,
  commits: { readonly base: string; readonly head: string },
  paths: readonly string[],
): Promise<string[]> {
  const { files = [] } = await github.client.request({
    route: 'GET /repos/{owner}/{repo}/compare/{base}...{head}',
    params: { ...github.repository, ...commits, per_page: 1 },
    schema: compareSchema,
    purpose: PURPOSE,
  });
  const touched = files.flatMap(({ filename, previous_filename: before }) =>
    before === undefined ? [filename] : [filename, before],
  );
  const edited = touched.filter((file) => paths.some((path) => isBelow(file, path)));
  return files.length < LISTED_FILES ? edited : [...edited, `more than ${LISTED_FILES} files`];
}

function isBelow(file: string, path: string): boolean {
  const place = path.replace(/^\.\//, '').replace(/\/+$/, '');
  return file === place || file.startsWith(`${place}/`);
}
