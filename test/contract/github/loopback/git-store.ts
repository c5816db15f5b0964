import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  /** null deletes the path. */
  readonly sha: string | null;
}
export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size?: number;
}
export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}
type ObjectType = 'blob' | 'tree' | 'commit';
interface Leaf {
  readonly mode: string;
  readonly sha: string;
}

const AUTHOR = 'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>';
const COMMITTER = 'GitHub <noreply@github.com>';
const FOLDER_MODE = '40000';

/**
 * A bare repository of its own. Every object the loopback is given becomes a real one on disk, which `git fsck` and
 * `git clone` see; they are written here rather than by git, because a process for each would make races slow.
 */
export class GitStore {
  readonly path: string;
  readonly #objects = new Map<string, { readonly type: ObjectType; readonly content: Buffer }>();
  readonly #branches = new Map<string, string>();
  #seconds = 1_767_323_045;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'loopback-git-'));
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', this.path]);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  writeBlob(content: Buffer): string {
    return this.#write('blob', content);
  }

  readBlob(sha: string): Buffer | null {
    return this.#read('blob', sha);
  }

  /** A tree from a base tree and changes, as POST /git/trees makes it; null when base or an object is unknown. */
  writeTree(base: string | null, changes: readonly TreeChange[]): string | null {
    if (base !== null && this.#read('tree', base) === null) return null;
    const leaves = base === null ? new Map<string, Leaf>() : this.#leaves(base, '');
    for (const { path, mode, sha } of changes) {
      if (sha === null) leaves.delete(path);
      else if (this.#objects.has(sha)) leaves.set(path, { mode, sha });
      else return null;
    }
    return this.#writeFolder(leaves);
  }

  /** Entries of a tree, or of a commit's tree. */
  listTree(treeish: string, recursive: boolean): TreeEntry[] | null {
    const sha = this.readCommit(treeish)?.tree ?? treeish;
    if (this.#read('tree', sha) === null) return null;
    return this.#children(sha).flatMap(({ name, mode, sha: id }) => {
      const folder = mode === FOLDER_MODE;
      const entry = { path: name, mode: mode.padStart(6, '0'), type: folder ? 'tree' : 'blob', sha: id };
      if (!folder) return [{ ...entry, size: this.readBlob(id)?.length ?? 0 }];
      const below = recursive ? (this.listTree(id, true) ?? []) : [];
      return [entry, ...below.map((item) => ({ ...item, path: `${name}/${item.path}` }))];
    });
  }

  writeCommit(tree: string, parents: readonly string[], message: string): string | null {
    if (this.#read('tree', tree) === null || parents.some((parent) => this.readCommit(parent) === null))
      return null;
    this.#seconds += 1;
    const lines = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${AUTHOR} ${this.#seconds} +0000`,
      `committer ${COMMITTER} ${this.#seconds} +0000`,
    ];
    return this.#write('commit', Buffer.from(`${lines.join('\n')}\n\n${message}`));
  }

  readCommit(sha: string): CommitFacts | null {
    const text = this.#read('commit', sha)?.toString('utf8');
    if (text === undefined) return null;
    const end = text.indexOf('\n\n');
    const head = text.slice(0, end);
    return {
      sha,
      tree: /^tree (\S+)/m.exec(head)?.[1] ?? '',
      parents: [...head.matchAll(/^parent (\S+)/gm)].map((found) => found[1] ?? ''),
      message: text.slice(end + 2),
    };
  }

  /** @returns the commit a branch points to, null when there is no such branch. */
  readRef(branch: string): string | null {
    return this.#branches.get(branch) ?? null;
  }

  /** Compare-and-swap; null as the old value means: must not exist yet. */
  swapRef(branch: string, next: string, old: string | null): boolean {
    if (this.readRef(branch) !== old) return false;
    this.#branches.set(branch, next);
    const file = join(this.path, 'refs/heads', branch);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${next}\n`);
    return true;
  }

  isAncestor(ancestor: string, of: string): boolean {
    if (ancestor === of) return true;
    return (this.readCommit(of)?.parents ?? []).some((parent) => this.isAncestor(ancestor, parent));
  }

  /** Puts files on a branch directly, as somebody with a clone would. */
  commitFiles(branch: string, files: Readonly<Record<string, string>>): string {
    const parent = this.readRef(branch);
    const base = parent === null ? null : (this.readCommit(parent)?.tree ?? null);
    const changes = Object.entries(files).map(([path, text]) => ({
      path,
      mode: '100644',
      sha: this.writeBlob(Buffer.from(text)),
    }));
    const tree = this.writeTree(base, changes);
    const commit = this.writeCommit(tree ?? '', parent === null ? [] : [parent], 'by hand\n');
    if (commit === null || !this.swapRef(branch, commit, parent)) throw new Error('commit refused');
    return commit;
  }

  /** Text of a file on a branch; null when absent. */
  fileText(branch: string, path: string): string | null {
    const entries = this.listTree(this.readRef(branch) ?? '', true) ?? [];
    const sha = entries.find((entry) => entry.path === path)?.sha;
    return sha === undefined ? null : (this.readBlob(sha)?.toString('utf8') ?? null);
  }

  #write(type: ObjectType, content: Buffer): string {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const sha = createHash('sha1').update(whole).digest('hex');
    if (this.#objects.has(sha)) return sha;
    this.#objects.set(sha, { type, content });
    const folder = join(this.path, 'objects', sha.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, sha.slice(2)), deflateSync(whole));
    return sha;
  }

  #read(type: ObjectType, sha: string): Buffer | null {
    const found = this.#objects.get(sha);
    return found?.type === type ? found.content : null;
  }

  #children(tree: string): (Leaf & { readonly name: string })[] {
    const content = this.#read('tree', tree) ?? Buffer.alloc(0);
    const children: (Leaf & { readonly name: string })[] = [];
    for (let at = 0; at < content.length; ) {
      const blank = content.indexOf(0x20, at);
      const end = content.indexOf(0, blank);
      children.push({
        mode: content.toString('utf8', at, blank),
        name: content.toString('utf8', blank + 1, end),
        sha: content.toString('hex', end + 1, end + 21),
      });
      at = end + 21;
    }
    return children;
  }

  #leaves(tree: string, prefix: string): Map<string, Leaf> {
    const leaves = new Map<string, Leaf>();
    for (const { name, mode, sha } of this.#children(tree)) {
      const path = `${prefix}${name}`;
      if (mode !== FOLDER_MODE) leaves.set(path, { mode, sha });
      else for (const [below, leaf] of this.#leaves(sha, `${path}/`)) leaves.set(below, leaf);
    }
    return leaves;
  }

  #writeFolder(leaves: ReadonlyMap<string, Leaf>): string {
    const folders = new Map<string, Map<string, Leaf>>();
    const children: (Leaf & { readonly name: string })[] = [];
    for (const [path, leaf] of leaves) {
      const slash = path.indexOf('/');
      if (slash < 0) children.push({ name: path, ...leaf });
      else {
        const name = path.slice(0, slash);
        const below = folders.get(name) ?? new Map<string, Leaf>();
        folders.set(name, below.set(path.slice(slash + 1), leaf));
      }
    }
    for (const [name, below] of folders)
      children.push({ name, mode: FOLDER_MODE, sha: this.#writeFolder(below) });
    // Git compares folders as if their name ended in a slash.
    const key = ({ name, mode }: Leaf & { name: string }) =>
      Buffer.from(mode === FOLDER_MODE ? `${name}/` : name);
    const sorted = children.sort((left, right) => Buffer.compare(key(left), key(right)));
    const parts = sorted.map(({ name, mode, sha }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
    );
    return this.#write('tree', Buffer.concat(parts));
  }
}
