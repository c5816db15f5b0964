import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitStore } from '../../contract/github/loopback/git-store.ts';
import { blocksOf } from '../../unit/docs/markdown.ts';
import { ROOT } from '../../unit/meta/source-files.ts';

/** The file that the examples share, as docs/examples/README.md shows it. */
export async function sharedConfig(): Promise<string> {
  const path = 'docs/examples/README.md';
  const blocks = blocksOf({ path, text: await readFile(join(ROOT, path), 'utf8') });
  const found = blocks.find(({ text }) => text.startsWith('# .github/rollout-bench.yml'));
  if (found === undefined) throw new Error(`${path} shows no config file`);
  return found.text;
}

/** A branch from another one, with the files that differ. @returns its commit */
export function branchOff(
  git: GitStore,
  from: string,
  { name, files }: { readonly name: string; readonly files: Readonly<Record<string, string>> },
): string {
  const parent = git.readRef(from);
  if (parent === null || !git.swapRef(name, parent, git.readRef(name)))
    throw new Error(`there is no branch ${from}`);
  return git.commitFiles(name, files);
}

/** What `uv` does in the examples: the policy's script is a shell line here. */
export const UV = '#!/bin/sh\n[ "$1" = sync ] || exec sh "$3"\n';
/** What the release workflow calls, and what it prints; the first attempt finds no release of the tag. */
export const GH = '#!/bin/sh\necho "gh $*"\n[ "$2" != view ]\n';
