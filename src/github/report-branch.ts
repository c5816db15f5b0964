import { createHash } from 'node:crypto';
import * as z from 'zod';
import { errorOf } from '../errors/rb-error.ts';
import type { FileChange, ReadFile } from '../history/publication.ts';
import { type BranchSnapshot, READ_BRANCH, readBranch, tooMuch } from './branch-snapshot.ts';
import type { GitHubClient, Repository } from './client.ts';
import { type CommitWords, commitMessage } from './commit-message.ts';
import { GitHubFailure, type Purpose } from './failure.ts';
import { jitteredMs } from './retry-policy.ts';

/** GitHub answers with time-outs from about 200 files or 2.5 MB inline; large files go as objects of their own. */
const COMMIT_MAX_FILES = 50;
const COMMIT_MAX_BYTES = 5_000_000;
/** Together; each further object would cost a request. */
const INLINE_MAX_BYTES = 2_000_000;

/** GitHub's words for a branch that moved, appeared or vanished, and for a commit its replicas do not know yet. */
const LOST_RACE = /fast[- ]forward|already exists|does not exist|update failed/i;

const MAX_TRIES = 20;
const RACE_BASE_MS = 1_000;
const RACE_CAP_MS = 20_000;
const READ_BACK_TRIES = 5;

const WRITE: Purpose = { what: 'write the report branch', permissions: ['contents: write'] };

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const shaSchema = z.object({ sha });
const commitSchema = z.object({ sha, verification: z.object({ verified: z.boolean() }).optional() });
const refSchema = z.object({ object: z.object({ sha }) });
const compareSchema = z.object({ status: z.string() });
const anything = z.unknown();

interface BranchPublication {
  readonly branch: string;
  /** What to change on the branch as `read` shows it; run again after every conflict. */
  readonly build: (read: ReadFile) => Promise<readonly FileChange[]>;
  readonly message: CommitWords;
  /** A snapshot read before, to spare requests; only the first try starts from it. */
  readonly snapshot?: BranchSnapshot;
}

export interface BranchOutcome {
  /** The commit that holds the files. */
  readonly commit: string;
  /** False when the branch already held every byte. */
  readonly changed: boolean;
  /** GitHub signed the commit; null when nothing was committed. */
  readonly verified: boolean | null;
  readonly tries: number;
}

/** Publishing by the Git Data API alone: no clone, no git program, signed commits, compare-and-swap. */
export class ReportBranch {
  readonly #client: GitHubClient;
  readonly #repository: Repository;

  constructor(client: GitHubClient, repository: Repository) {
    this.#client = client;
    this.#repository = repository;
  }

  /** The branch as it is now. @throws GitHubFailure when it cannot be read; an absent branch is an empty snapshot */
  snapshot(branch: string): Promise<BranchSnapshot> {
    return readBranch(this.#client, this.#repository, branch);
  }

  /**
   * Changes files on the branch, together with whoever else does at the same time: on a conflict the branch is read
   * anew and `build` runs again. Creates the branch as an orphan when it is missing.
   * @throws GitHubFailure, RbError RB809 (too many conflicts), RB811 (read back and not there), RB812 (too much)
   */
  async publish(publication: BranchPublication): Promise<BranchOutcome> {
    const { clock, random } = this.#client.settings;
    let snapshot = publication.snapshot ?? (await this.snapshot(publication.branch));
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const changes = changed(await publication.build(snapshot.read), snapshot);
      if (changes.length === 0 && snapshot.commit !== null) {
        return { commit: snapshot.commit, changed: false, verified: null, tries };
      }
      checkSize(changes, publication.branch);
      const commit = await this.#commit(snapshot, changes, publication.message);
      if ((await this.#move(snapshot, commit.sha)) && (await this.#stays(publication.branch, commit.sha))) {
        return { commit: commit.sha, changed: true, verified: commit.verification?.verified ?? false, tries };
      }
      await clock.sleep(jitteredMs(tries, random(), RACE_BASE_MS, RACE_CAP_MS));
      snapshot = await this.snapshot(publication.branch);
    }
    throw errorOf('RB809', {
      where: `branch ${publication.branch}`,
      message: `${MAX_TRIES} tries all met a newer commit.`,
    });
  }

  async #commit(snapshot: BranchSnapshot, changes: readonly FileChange[], words: CommitWords) {
    const tree = await this.#client.request({
      route: 'POST /repos/{owner}/{repo}/git/trees',
      params: {
        ...this.#repository,
        tree: await this.#entries(changes),
        ...(snapshot.tree === null ? {} : { base_tree: snapshot.tree }),
      },
      schema: shaSchema,
      purpose: WRITE,
    });
    // Author and committer are left out on purpose: then GitHub fills them in and signs the commit.
    return this.#client.request({
      route: 'POST /repos/{owner}/{repo}/git/commits',
      params: {
        ...this.#repository,
        message: commitMessage(words),
        tree: tree.sha,
        parents: snapshot.commit === null ? [] : [snapshot.commit],
      },
      schema: commitSchema,
      purpose: WRITE,
    });
  }

  /** Small files first go inline, as many as fit together; every other file becomes an object of its own. */
  async #entries(changes: readonly FileChange[]) {
    const entries: { path: string; mode: string; type: string; content?: string; sha?: string | null }[] = [];
    let left = INLINE_MAX_BYTES;
    for (const { path, content } of changes.toSorted((a, b) => byteLength(a) - byteLength(b))) {
      const place = { path, mode: '100644', type: 'blob' };
      left -= byteLength({ content });
      if (content === null) entries.push({ ...place, sha: null });
      else if (left >= 0) entries.push({ ...place, content });
      else entries.push({ ...place, sha: await this.#blob(content) });
    }
    return entries;
  }

  async #blob(content: string): Promise<string> {
    const blob = await this.#client.request({
      route: 'POST /repos/{owner}/{repo}/git/blobs',
      params: { ...this.#repository, content, encoding: 'utf-8' },
      schema: shaSchema,
      purpose: WRITE,
    });
    return blob.sha;
  }

  /** @returns false when somebody else moved or created the branch first */
  async #move({ branch, commit }: BranchSnapshot, next: string): Promise<boolean> {
    const call =
      commit === null
        ? { route: 'POST /repos/{owner}/{repo}/git/refs', params: { ref: `refs/heads/${branch}`, sha: next } }
        : {
            route: 'PATCH /repos/{owner}/{repo}/git/refs/{ref}',
            params: { ref: `heads/${branch}`, sha: next, force: false },
          };
    try {
      const params = { ...this.#repository, ...call.params };
      await this.#client.request({ route: call.route, params, schema: anything, purpose: WRITE });
      return true;
    } catch (error) {
      if (error instanceof GitHubFailure && LOST_RACE.test(error.reason)) return false;
      throw error;
    }
  }

  /** Reads the branch back: our commit, or one that builds on it. A lagging answer is asked for again. */
  async #stays(branch: string, ours: string): Promise<boolean> {
    const { clock, random } = this.#client.settings;
    for (let attempt = 0; attempt < READ_BACK_TRIES; attempt += 1) {
      const now = await this.#refCommit(branch);
      if (now === ours) return true;
      const status = now === null ? 'behind' : await this.#relation(ours, now);
      if (status === 'ahead' || status === 'identical') return true;
      if (status === 'diverged') return false;
      await clock.sleep(RACE_BASE_MS + jitteredMs(attempt, random()));
    }
    throw errorOf('RB811', {
      where: `branch ${branch}`,
      message: `The commit ${ours} was accepted, but the branch does not show it.`,
    });
  }

  async #refCommit(branch: string): Promise<string | null> {
    try {
      const found = await this.#client.request({
        route: 'GET /repos/{owner}/{repo}/git/ref/{ref}',
        params: { ...this.#repository, ref: `heads/${branch}` },
        schema: refSchema,
        purpose: READ_BRANCH,
      });
      return found.object.sha;
    } catch (error) {
      if (error instanceof GitHubFailure && error.kind === 'not-found') return null;
      throw error;
    }
  }

  async #relation(ours: string, now: string): Promise<string> {
    const compared = await this.#client.request({
      route: 'GET /repos/{owner}/{repo}/compare/{base}...{head}',
      params: { ...this.#repository, base: ours, head: now },
      schema: compareSchema,
      purpose: READ_BRANCH,
    });
    return compared.status;
  }
}

/** Leaves out what the branch already holds byte for byte. */
function changed(changes: readonly FileChange[], { files }: BranchSnapshot): FileChange[] {
  const last = new Map(changes.map((change) => [change.path, change]));
  return [...last.values()].filter(({ path, content }) =>
    content === null ? files.has(path) : files.get(path) !== blobId(content),
  );
}

/** The id git gives a blob (SHA-1; on a SHA-256 repository nothing would match and all is sent, which is right too). */
function blobId(content: string): string {
  const bytes = Buffer.from(content, 'utf8');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function byteLength({ content }: Pick<FileChange, 'content'>): number {
  return Buffer.byteLength(content ?? '');
}

function checkSize(changes: readonly FileChange[], branch: string): void {
  const bytes = changes.reduce((sum, change) => sum + byteLength(change), 0);
  if (changes.length > COMMIT_MAX_FILES)
    throw tooMuch(`${changes.length} files; the limit is ${COMMIT_MAX_FILES}.`, branch);
  if (bytes > COMMIT_MAX_BYTES) throw tooMuch(`${bytes} bytes; the limit is ${COMMIT_MAX_BYTES}.`, branch);
}
