import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

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

const IDENTITY = {
  GIT_AUTHOR_NAME: 'github-actions[bot]',
  GIT_AUTHOR_EMAIL: '41898282+github-actions[bot]@users.noreply.github.com',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
};

/** A bare repository of its own; every object the loopback is given becomes a real one. */
export class GitStore {
  readonly path: string;
  #indexes = 0;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<GitStore> {
    const path = await mkdtemp(join(tmpdir(), 'loopback-git-'));
    await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', path]);
    return new GitStore(path);
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 });
  }

  async writeBlob(content: Buffer): Promise<string> {
    return (await this.#git(['hash-object', '-w', '--stdin'], content)).trim();
  }

  async readBlob(sha: string): Promise<Buffer | null> {
    if ((await this.#type(sha)) !== 'blob') return null;
    const { stdout } = await run('git', ['cat-file', 'blob', sha], {
      cwd: this.path,
      encoding: 'buffer',
      maxBuffer: 200_000_000,
    });
    return stdout;
  }

  /** A tree from a base tree and changes, as POST /git/trees makes it; null when base or an object is unknown. */
  async writeTree(base: string | null, changes: readonly TreeChange[]): Promise<string | null> {
    if (base !== null && (await this.#type(base)) !== 'tree') return null;
    this.#indexes += 1;
    const env = { GIT_INDEX_FILE: join(this.path, `index-${this.#indexes}`) };
    try {
      if (base !== null) await this.#git(['read-tree', base], undefined, env);
      const lines = changes.map(({ path, mode, sha }) =>
        sha === null ? `0 ${'0'.repeat(40)}\t${path}\0` : `${mode} ${sha}\t${path}\0`,
      );
      await this.#git(['update-index', '-z', '--index-info'], Buffer.from(lines.join('')), env);
      return (await this.#git(['write-tree'], undefined, env)).trim();
    } finally {
      await rm(env.GIT_INDEX_FILE, { force: true });
    }
  }

  async listTree(treeish: string, recursive: boolean): Promise<TreeEntry[] | null> {
    if (!['tree', 'commit'].includes(await this.#type(treeish))) return null;
    const options = recursive ? ['-r', '-t'] : [];
    const text = await this.#git(['ls-tree', '-z', '--long', ...options, treeish]);
    return text
      .split('\0')
      .filter((line) => line !== '')
      .map(entryOf);
  }

  async writeCommit(tree: string, parents: readonly string[], message: string): Promise<string | null> {
    if ((await this.#type(tree)) !== 'tree') return null;
    const options = parents.flatMap((parent) => ['-p', parent]);
    return (
      await this.#git(['commit-tree', tree, ...options, '-F', '-'], Buffer.from(message), IDENTITY)
    ).trim();
  }

  async readCommit(sha: string): Promise<CommitFacts | null> {
    if ((await this.#type(sha)) !== 'commit') return null;
    const text = await this.#git(['cat-file', 'commit', sha]);
    const head = text.slice(0, text.indexOf('\n\n'));
    return {
      sha,
      tree: /^tree (\S+)/m.exec(head)?.[1] ?? '',
      parents: [...head.matchAll(/^parent (\S+)/gm)].map((found) => found[1] ?? ''),
      message: text.slice(head.length + 2),
    };
  }

  /** @returns the commit a branch points to, null when there is no such branch. */
  async readRef(branch: string): Promise<string | null> {
    const sha = await this.#git(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`]);
    return sha.trim() === '' ? null : (sha.trim().split('\n')[0] ?? null);
  }

  /** Compare-and-swap; null as the old value means: must not exist yet. */
  async swapRef(branch: string, next: string, old: string | null): Promise<boolean> {
    try {
      await this.#git(['update-ref', `refs/heads/${branch}`, next, old ?? '0'.repeat(40)]);
      return true;
    } catch {
      return false;
    }
  }

  async isAncestor(ancestor: string, of: string): Promise<boolean> {
    try {
      await this.#git(['merge-base', '--is-ancestor', ancestor, of]);
      return true;
    } catch {
      return false;
    }
  }

  /** Puts files on a branch directly, as somebody with a clone would. */
  async commitFiles(branch: string, files: Readonly<Record<string, string>>): Promise<string> {
    const parent = await this.readRef(branch);
    const base = parent === null ? null : ((await this.readCommit(parent))?.tree ?? null);
    const changes: TreeChange[] = [];
    for (const [path, text] of Object.entries(files)) {
      changes.push({ path, mode: '100644', sha: await this.writeBlob(Buffer.from(text)) });
    }
    const tree = await this.writeTree(base, changes);
    const commit = await this.writeCommit(tree ?? '', parent === null ? [] : [parent], 'by hand\n');
    if (commit === null || !(await this.swapRef(branch, commit, parent))) throw new Error('commit refused');
    return commit;
  }

  /** Text of a file on a branch; null when absent. */
  async fileText(branch: string, path: string): Promise<string | null> {
    const entries = (await this.listTree(`refs/heads/${branch}`, true)) ?? [];
    const sha = entries.find((entry) => entry.path === path)?.sha;
    return sha === undefined ? null : ((await this.readBlob(sha))?.toString('utf8') ?? null);
  }

  async #type(sha: string): Promise<string> {
    try {
      return (await this.#git(['cat-file', '-t', sha])).trim();
    } catch {
      return '';
    }
  }

  #git(args: readonly string[], input?: Buffer, env: Readonly<Record<string, string>> = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('git', args, { cwd: this.path, env: { ...process.env, ...env } });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.on('error', reject);
      child.stdin.on('error', () => {});
      child.on('close', (code) => {
        if (code === 0) resolve(Buffer.concat(out).toString('utf8'));
        else reject(new Error(`git ${args[0]}: ${Buffer.concat(err).toString('utf8')}`));
      });
      child.stdin.end(input);
    });
  }
}

function entryOf(line: string): TreeEntry {
  const [facts = '', path = ''] = line.split('\t');
  const [mode = '', type = '', sha = '', size = '-'] = facts.split(/ +/);
  return size === '-' ? { path, mode, type, sha } : { path, mode, type, sha, size: Number(size) };
}
