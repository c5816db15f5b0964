import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Exchange, notFound, paged, type Reply, type Route } from './exchange.ts';

export interface StoredArtifact {
  readonly id: number;
  /** Backend id of the run; the loopback uses the run's number for both. */
  readonly runId: string;
  readonly jobId: string;
  readonly name: string;
  readonly blob: string;
  finished: boolean;
  hash: string;
}
export interface StoredRun {
  readonly id: number;
  readonly headSha: string;
  readonly headRepoId: number;
  readonly event: string;
  /** Whoever started it; left out: somebody called `starter`. */
  readonly actor?: string;
  /** Whoever started it again. */
  readonly again?: string;
  readonly attempt?: number;
}
/** A job of a workflow run, in the attempt in which it was started. */
export interface StoredJob {
  readonly runId: number;
  readonly attempt: number;
  readonly name: string;
  /** Null: no runner took it. */
  readonly runner: string | null;
  readonly status: 'completed' | 'in_progress';
}

const FORBIDDEN_IN_NAMES = /["<>:|*?\r\n\\/]/;
const twirp = z.looseObject({
  workflow_run_backend_id: z.string().default(''),
  workflow_job_run_backend_id: z.string().default(''),
  name: z.string().default(''),
  name_filter: z.string().optional(),
  id_filter: z.string().optional(),
  size: z.string().optional(),
  hash: z.string().optional(),
});
type Call = z.infer<typeof twirp>;

/** The artifact service (twirp calls and signed addresses), the REST view of it, runs and releases. */
export class ArtifactService {
  readonly artifacts: StoredArtifact[] = [];
  readonly runs: StoredRun[] = [];
  readonly jobs: StoredJob[] = [];
  readonly #blobs = new Map<string, Buffer>();
  readonly #blocks = new Map<string, Buffer>();
  #nextId = 1000;

  readonly routes: Record<string, Route> = {
    'actions/list-workflow-run-artifacts': (exchange) => this.#list(exchange),
    'actions/download-artifact': (exchange) => this.#redirect(exchange),
    'actions/get-workflow-run': (exchange) => this.#getRun(exchange),
    'actions/list-jobs-for-workflow-run': (exchange) => this.#listJobs(exchange),
  };

  /** Puts an artifact there as another job would have left it. */
  addArtifact(runId: string, name: string, content: Buffer): StoredArtifact {
    const artifact = this.#add(runId, 'job', name);
    this.#blobs.set(artifact.blob, content);
    artifact.finished = true;
    artifact.hash = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    return artifact;
  }

  content(artifact: StoredArtifact): Buffer {
    return this.#blobs.get(artifact.blob) ?? Buffer.alloc(0);
  }

  #add(runId: string, jobId: string, name: string): StoredArtifact {
    this.#nextId += 1;
    const blob = `/account/container/${this.#nextId}-${randomBytes(6).toString('hex')}`;
    const artifact = { id: this.#nextId, runId, jobId, name, blob, finished: false, hash: '' };
    this.artifacts.push(artifact);
    return artifact;
  }

  /** POST /twirp/…ArtifactService/<method>. */
  call(method: string, body: unknown, origin: string): Reply {
    const sent = twirp.parse(body);
    if (method === 'CreateArtifact') return this.#create(sent, origin);
    if (method === 'FinalizeArtifact') return this.#finalize(sent);
    if (method === 'ListArtifacts') return this.#listCall(sent);
    const artifact = this.#named(sent);
    if (artifact === undefined)
      return { status: 404, body: { code: 'not_found', msg: 'artifact not found' } };
    if (method === 'GetSignedArtifactURL') {
      return { status: 200, body: { signed_url: `${origin}${artifact.blob}?sig=${'s'.repeat(32)}` } };
    }
    this.artifacts.splice(this.artifacts.indexOf(artifact), 1);
    return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
  }

  #named(sent: Call): StoredArtifact | undefined {
    return this.artifacts.find(
      ({ runId, name }) => runId === sent.workflow_run_backend_id && name === sent.name,
    );
  }

  #create(sent: Call, origin: string): Reply {
    if (sent.name === '' || FORBIDDEN_IN_NAMES.test(sent.name)) {
      return { status: 400, body: { code: 'invalid_argument', msg: 'the artifact name is not valid' } };
    }
    if (this.#named(sent) !== undefined) {
      const msg = 'an artifact with this name already exists on the workflow run';
      return { status: 409, body: { code: 'already_exists', msg } };
    }
    const { blob } = this.#add(sent.workflow_run_backend_id, sent.workflow_job_run_backend_id, sent.name);
    return { status: 200, body: { ok: true, signed_upload_url: `${origin}${blob}?sig=${'s'.repeat(32)}` } };
  }

  #finalize(sent: Call): Reply {
    const artifact = this.#named(sent);
    const content = artifact === undefined ? undefined : this.#blobs.get(artifact.blob);
    const hash = `sha256:${createHash('sha256')
      .update(content ?? '')
      .digest('hex')}`;
    if (
      artifact === undefined ||
      content === undefined ||
      String(content.length) !== sent.size ||
      sent.hash !== hash
    ) {
      return {
        status: 400,
        body: { code: 'invalid_argument', msg: 'size or hash differ from what was uploaded' },
      };
    }
    artifact.finished = true;
    artifact.hash = hash;
    return { status: 200, body: { ok: true, artifact_id: String(artifact.id) } };
  }

  #listCall(sent: Call): Reply {
    const found = this.artifacts.filter(
      ({ id, name, runId, finished }) =>
        finished &&
        runId === sent.workflow_run_backend_id &&
        (sent.name_filter === undefined || sent.name_filter === name) &&
        (sent.id_filter === undefined || sent.id_filter === String(id)),
    );
    const artifacts = found.map((artifact) => ({
      workflow_run_backend_id: artifact.runId,
      workflow_job_run_backend_id: artifact.jobId,
      database_id: String(artifact.id),
      name: artifact.name,
      size: String(this.content(artifact).length),
      created_at: '2026-01-02T03:04:05Z',
      digest: artifact.hash,
    }));
    return { status: 200, body: { artifacts } };
  }

  /** Signed addresses: block uploads and downloads. */
  blob(method: string, path: string, query: URLSearchParams, raw: Buffer): Reply {
    const headers = { etag: '"0x1"', 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT' };
    if (method === 'GET') return this.#download(path);
    if (query.get('comp') === 'block') {
      this.#blocks.set(`${path} ${query.get('blockid')}`, raw);
      return { status: 201, headers };
    }
    if (query.get('comp') === 'blocklist') {
      const ids = [...raw.toString('utf8').matchAll(/<Latest>([^<]+)<\/Latest>/g)].map((found) => found[1]);
      const blocks = ids.map((id) => this.#blocks.get(`${path} ${id}`) ?? Buffer.alloc(0));
      this.#blobs.set(path, Buffer.concat(blocks));
      return { status: 201, headers };
    }
    this.#blobs.set(path, raw);
    return { status: 201, headers };
  }

  #download(path: string): Reply {
    const content = this.#blobs.get(path);
    const artifact = this.artifacts.find(({ blob }) => blob === path);
    if (content === undefined || artifact === undefined) return notFound();
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${artifact.name}.zip"`,
    };
    return { status: 200, body: content, headers };
  }

  #list(exchange: Exchange): Reply {
    const runId = exchange.params['run_id'];
    const name = exchange.query.get('name');
    const found = this.artifacts.filter(
      (item) => item.runId === runId && (name === null || item.name === name),
    );
    const { page, headers } = paged(found, exchange);
    const artifacts = page.map((item) => ({
      id: item.id,
      name: item.name,
      size_in_bytes: this.content(item).length,
      expired: false,
      digest: item.hash,
    }));
    return { status: 200, body: { total_count: found.length, artifacts }, headers };
  }

  #redirect({ params, origin }: Exchange): Reply {
    const artifact = this.artifacts.find(({ id }) => id === Number(params['artifact_id']));
    if (artifact === undefined) return notFound();
    return { status: 302, headers: { location: `${origin}${artifact.blob}?sig=${'s'.repeat(32)}` } };
  }

  #getRun({ params }: Exchange): Reply {
    const run = this.runs.find(({ id }) => id === Number(params['run_id']));
    if (run === undefined) return notFound();
    const { actor = 'starter', again = actor, attempt = 1 } = run;
    return {
      status: 200,
      body: {
        id: run.id,
        head_sha: run.headSha,
        event: run.event,
        run_attempt: attempt,
        actor: { login: actor, type: 'User' },
        triggering_actor: { login: again, type: 'User' },
        head_repository: { id: run.headRepoId },
      },
    };
  }

  #listJobs(exchange: Exchange): Reply {
    const all = this.jobs.filter(({ runId }) => runId === Number(exchange.params['run_id']));
    const newest = Math.max(0, ...all.map(({ attempt }) => attempt));
    const wanted =
      exchange.query.get('filter') === 'all' ? all : all.filter(({ attempt }) => attempt === newest);
    const { page, headers } = paged(wanted, exchange);
    const jobs = page.map(({ runId, attempt, name, runner, status }) => ({
      ...{ run_id: runId, run_attempt: attempt, name, runner_name: runner, status },
      conclusion: status === 'completed' ? 'failure' : null,
    }));
    return { status: 200, body: { total_count: wanted.length, jobs }, headers };
  }
}
