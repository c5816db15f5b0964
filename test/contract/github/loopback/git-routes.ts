import * as z from 'zod';
import { type Exchange, notFound, type Reply, type Route, unprocessable } from './exchange.ts';
import type { GitStore, TreeChange } from './git-store.ts';

/** Above these the real service answers with a time-out; measured by others, so kept on the low side. */
const TREE_MAX_ENTRIES = 200;
const TREE_MAX_INLINE_BYTES = 2_500_000;

const treeBody = z.looseObject({
  base_tree: z.string().optional(),
  tree: z.array(
    z.looseObject({
      path: z.string(),
      mode: z.string(),
      sha: z.string().nullable().optional(),
      content: z.string().optional(),
    }),
  ),
});
const commitBody = z.looseObject({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).optional(),
  author: z.unknown().optional(),
  committer: z.unknown().optional(),
});
const refBody = z.looseObject({ ref: z.string(), sha: z.string() });
const moveBody = z.looseObject({ sha: z.string(), force: z.boolean().optional() });
const blobBody = z.looseObject({ content: z.string(), encoding: z.string().optional() });

/** Branches and objects, backed by a real repository. */
export class GitRoutes {
  readonly git: GitStore;
  /** Reads of a branch that still see its former commit after it moved. */
  staleBranchReads = 0;
  readonly #former = new Map<string, string | null>();
  #staleLeft = 0;

  constructor(git: GitStore) {
    this.git = git;
  }

  readonly routes: Record<string, Route> = {
    'repos/get-branch': (exchange) => this.#getBranch(exchange),
    'git/get-ref': (exchange) => this.#getRef(exchange),
    'git/create-ref': (exchange) => this.#createRef(exchange),
    'git/update-ref': (exchange) => this.#updateRef(exchange),
    'git/get-commit': (exchange) => this.#getCommit(exchange),
    'git/create-commit': (exchange) => this.#createCommit(exchange),
    'git/get-tree': (exchange) => this.#getTree(exchange),
    'git/create-tree': (exchange) => this.#createTree(exchange),
    'git/get-blob': (exchange) => this.#getBlob(exchange),
    'git/create-blob': (exchange) => this.#createBlob(exchange),
    'repos/list-commits': (exchange) => this.#listCommits(exchange),
    'repos/compare-commits': (exchange) => this.#compare(exchange),
    'repos/get-content': (exchange) => this.#getContent(exchange),
  };

  #seenCommit(branch: string): string | null {
    if (this.#staleLeft > 0 && this.#former.has(branch)) {
      this.#staleLeft -= 1;
      return this.#former.get(branch) ?? null;
    }
    return this.git.readRef(branch);
  }

  #moved(branch: string, old: string | null): void {
    this.#former.set(branch, old);
    this.#staleLeft = this.staleBranchReads;
  }

  #getBranch({ params }: Exchange): Reply {
    const name = params['branch'] ?? '';
    const sha = this.#seenCommit(name);
    const commit = sha === null ? null : this.git.readCommit(sha);
    if (commit === null) return notFound('Branch not found');
    return {
      status: 200,
      body: { name, commit: { sha, commit: { message: commit.message, tree: { sha: commit.tree } } } },
    };
  }

  #getRef({ params }: Exchange): Reply {
    const branch = (params['ref'] ?? '').replace(/^heads\//, '');
    const sha = this.#seenCommit(branch);
    return sha === null ? notFound() : { status: 200, body: refOf(branch, sha) };
  }

  #createRef({ body }: Exchange): Reply {
    const { ref, sha } = refBody.parse(body);
    const branch = ref.replace(/^refs\/heads\//, '');
    if (this.git.readCommit(sha) === null) return unprocessable('Object does not exist');
    if (!this.git.swapRef(branch, sha, null)) return unprocessable('Reference already exists');
    this.#moved(branch, null);
    return { status: 201, body: refOf(branch, sha) };
  }

  #updateRef({ params, body }: Exchange): Reply {
    const { sha, force } = moveBody.parse(body);
    const branch = (params['ref'] ?? '').replace(/^heads\//, '');
    const old = this.git.readRef(branch);
    if (old === null) return unprocessable('Reference does not exist');
    if (this.git.readCommit(sha) === null) return unprocessable('Object does not exist');
    const forward = force === true || this.git.isAncestor(old, sha);
    if (!forward || !this.git.swapRef(branch, sha, old)) return unprocessable('Update is not a fast forward');
    this.#moved(branch, old);
    return { status: 200, body: refOf(branch, sha) };
  }

  #getCommit({ params }: Exchange): Reply {
    const commit = this.git.readCommit(params['commit_sha'] ?? '');
    return commit === null ? notFound() : { status: 200, body: commitAnswer(commit, true) };
  }

  #createCommit({ body }: Exchange): Reply {
    const { message, tree, parents, author, committer } = commitBody.parse(body);
    const sha = this.git.writeCommit(tree, parents ?? [], message);
    const commit = sha === null ? null : this.git.readCommit(sha);
    if (commit === null) return unprocessable('Tree SHA does not exist');
    // GitHub signs a commit only when it may fill in who made it.
    const verified = author === undefined && committer === undefined;
    return { status: 201, body: commitAnswer(commit, verified) };
  }

  #getTree({ params, query }: Exchange): Reply {
    const sha = params['tree_sha'] ?? '';
    const entries = this.git.listTree(sha, query.has('recursive'));
    return entries === null ? notFound() : { status: 200, body: { sha, tree: entries, truncated: false } };
  }

  #createTree({ body }: Exchange): Reply {
    const { base_tree: base, tree } = treeBody.parse(body);
    const inlineBytes = tree.reduce((sum, entry) => sum + Buffer.byteLength(entry.content ?? ''), 0);
    if (tree.length > TREE_MAX_ENTRIES || inlineBytes > TREE_MAX_INLINE_BYTES) {
      return { status: 502, body: { message: 'Server Error' } };
    }
    const changes: TreeChange[] = [];
    for (const { path, mode, sha, content } of tree) {
      if (sha !== undefined && content !== undefined)
        return unprocessable('tree.sha and tree.content are exclusive');
      if (path.startsWith('/') || path.split('/').includes('..'))
        return unprocessable('tree.path contains a malformed path component');
      changes.push({
        path,
        mode,
        sha: content === undefined ? (sha ?? null) : this.git.writeBlob(Buffer.from(content)),
      });
    }
    const sha = this.git.writeTree(base ?? null, changes);
    const entries = sha === null ? null : this.git.listTree(sha, false);
    if (entries === null) return unprocessable('Invalid tree info');
    return { status: 201, body: { sha, tree: entries, truncated: false } };
  }

  #getBlob({ params }: Exchange): Reply {
    const sha = params['file_sha'] ?? '';
    const content = this.git.readBlob(sha);
    if (content === null) return notFound();
    return {
      status: 200,
      body: { sha, size: content.length, encoding: 'base64', content: wrapped(content) },
    };
  }

  #createBlob({ body }: Exchange): Reply {
    const { content, encoding } = blobBody.parse(body);
    const sha = this.git.writeBlob(Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'));
    return { status: 201, body: { sha, url: `https://api.github.com/blobs/${sha}` } };
  }

  /** A branch or a commit, as GitHub takes both. */
  #commitOf(name = ''): string {
    return this.git.readRef(name) ?? name;
  }

  #compare({ params }: Exchange): Reply {
    const base = this.#commitOf(params['base']);
    const head = this.#commitOf(params['head']);
    const facts = [this.git.readCommit(base), this.git.readCommit(head)];
    if (facts.includes(null)) return notFound();
    const ahead = this.git.isAncestor(base, head);
    const behind = this.git.isAncestor(head, base);
    const status = ahead && behind ? 'identical' : ahead ? 'ahead' : behind ? 'behind' : 'diverged';
    return { status: 200, body: { status } };
  }

  /** Of one path: the commits that changed it, newest first, past merges that took it over from a parent. */
  #listCommits({ query }: Exchange): Reply {
    const path = query.get('path') ?? '';
    const blobAt = (sha: string | undefined): string | undefined =>
      sha === undefined ? undefined : this.git.listTree(sha, true)?.find((entry) => entry.path === path)?.sha;
    const found: { sha: string }[] = [];
    let at = this.git.readCommit(this.#commitOf(query.get('sha') ?? 'main'));
    while (at !== null) {
      const blob = blobAt(at.sha);
      const same = at.parents.find((parent) => blobAt(parent) === blob);
      if (same === undefined && blob !== undefined) found.push({ sha: at.sha });
      const next = same ?? at.parents[0];
      at = next === undefined ? null : this.git.readCommit(next);
    }
    return { status: 200, body: found.slice(0, Number(query.get('per_page') ?? '30')) };
  }

  #getContent({ params, query }: Exchange): Reply {
    const ref = query.get('ref') ?? 'main';
    const sha = this.git.readRef(ref) ?? ref;
    if (this.git.readCommit(sha) === null) return notFound(`No commit found for the ref ${ref}`);
    const entry = this.git.listTree(sha, true)?.find(({ path }) => path === params['path']);
    const content = entry === undefined ? null : this.git.readBlob(entry.sha);
    if (content === null) return notFound();
    return { status: 200, body: content, headers: { 'content-type': 'application/vnd.github.raw+json' } };
  }
}

function refOf(branch: string, sha: string) {
  return { ref: `refs/heads/${branch}`, object: { type: 'commit', sha } };
}

function commitAnswer(
  commit: { sha: string; tree: string; parents: readonly string[]; message: string },
  verified: boolean,
) {
  return {
    sha: commit.sha,
    tree: { sha: commit.tree },
    message: commit.message,
    parents: commit.parents.map((sha) => ({ sha })),
    verification: { verified, reason: verified ? 'valid' : 'unsigned' },
  };
}

/** GitHub breaks base64 into lines. */
function wrapped(content: Buffer): string {
  return content.toString('base64').replace(/.{60}/g, '$&\n');
}
