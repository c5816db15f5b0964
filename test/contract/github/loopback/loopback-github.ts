import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import * as z from 'zod';
import { ApiDescription } from './api-description.ts';
import { ApprovalRoutes } from './approval-routes.ts';
import { ArtifactService } from './artifact-service.ts';
import { CheckRoutes } from './check-routes.ts';
import { ConversationRoutes } from './conversation-routes.ts';
import type { Exchange, Permissions, Reply, Route, TokenFacts } from './exchange.ts';
import { type Fault, Faults } from './faults.ts';
import { GitRoutes } from './git-routes.ts';
import { GitStore } from './git-store.ts';
import { lacking } from './permissions.ts';
import { ReleaseRoutes } from './release-routes.ts';

const TWIRP = '/twirp/github.actions.results.api.v1.ArtifactService/';
/** Compiled once for all servers of a test file. */
const API = new ApiDescription();
const BOT = { login: 'github-actions[bot]', userId: 41898282 };

export const EVERY_PERMISSION: Permissions = {
  actions: 'read',
  checks: 'write',
  contents: 'write',
  issues: 'write',
  'pull-requests': 'write',
};

export interface SeenRequest {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  status: number;
  readonly body: unknown;
}

/** One repository, acme/robots, on 127.0.0.1; private, so that reading needs a permission too. */
export class LoopbackGitHub {
  readonly git: GitStore;
  readonly branches: GitRoutes;
  readonly conversation = new ConversationRoutes();
  readonly checks = new CheckRoutes();
  readonly releases = new ReleaseRoutes();
  readonly approvals = new ApprovalRoutes();
  readonly service = new ArtifactService();
  readonly faults = new Faults();
  readonly seen: SeenRequest[] = [];
  /** What a client did that GitHub's description does not allow; every test ends by looking at it. */
  readonly violations: string[] = [];
  url = '';
  readonly #api = API;
  readonly #tokens = new Map<string, TokenFacts>();
  readonly #routes: Record<string, Route>;
  readonly #server: Server;

  private constructor(git: GitStore) {
    this.git = git;
    this.branches = new GitRoutes(git);
    this.#routes = {
      ...this.branches.routes,
      ...this.conversation.routes,
      ...this.checks.routes,
      ...this.releases.routes,
      ...this.approvals.routes,
      ...this.service.routes,
    };
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        this.violations.push(`loopback failed: ${error instanceof Error ? error.message : String(error)}`);
        response.destroy();
      });
    });
  }

  static async start(): Promise<LoopbackGitHub> {
    const github = new LoopbackGitHub(new GitStore());
    await new Promise<void>((resolve) => github.#server.listen(0, '127.0.0.1', resolve));
    // An address on TCP is an object, never a pipe's name.
    github.url = `http://127.0.0.1:${(github.#server.address() as AddressInfo).port}`;
    return github;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.git.remove();
  }

  /** A token of the workflow (or of somebody else) with these permissions. */
  token(
    name: string,
    permissions: Permissions = EVERY_PERMISSION,
    who: { login: string; userId: number } = BOT,
  ): string {
    this.#tokens.set(name, { ...who, permissions });
    return name;
  }

  /** How often an operation was requested. */
  count(operation: string): number {
    return this.seen.filter((request) => request.operation === operation).length;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const url = new URL(request.url ?? '/', this.url);
    const method = request.method ?? 'GET';
    const { operation, run } = this.#plan(request, url, raw);
    const noted: SeenRequest = { operation, method, path: url.pathname, status: 0, body: jsonOf(raw) };
    this.seen.push(noted);
    const reply = await this.#withFaults(operation, run);
    noted.status = reply?.status ?? 0;
    if (reply === null) response.destroy();
    else send(response, reply);
  }

  #plan(request: IncomingMessage, url: URL, raw: Buffer): { operation: string; run: () => Promise<Reply> } {
    const method = request.method ?? 'GET';
    if (url.pathname.startsWith(TWIRP)) {
      const name = url.pathname.slice(TWIRP.length);
      return { operation: `twirp/${name}`, run: async () => this.service.call(name, jsonOf(raw), this.url) };
    }
    if (url.pathname.startsWith('/account/')) {
      const operation = method === 'GET' ? 'blob/get' : 'blob/put';
      return { operation, run: async () => this.service.blob(method, url.pathname, url.searchParams, raw) };
    }
    if (url.pathname === '/graphql') return { operation: 'graphql', run: () => this.#graphql(request, raw) };
    const operation = this.#api.match(method, url.pathname)?.operation.id ?? 'unknown';
    return { operation, run: () => this.#rest(request, url, raw) };
  }

  async #withFaults(operation: string, run: () => Promise<Reply>): Promise<Reply | null> {
    const fault: Fault | null = this.faults.take(operation);
    if (fault === null) return run();
    const { failure } = fault;
    if (failure.kind === 'slow') {
      await new Promise((resolve) => setTimeout(resolve, failure.delayMs));
      return run();
    }
    if (fault.takesEffect === true) await run();
    if (failure.kind === 'drop') return null;
    return { status: failure.status, body: failure.body, headers: failure.headers ?? {} };
  }

  #authenticated(request: IncomingMessage): TokenFacts | null {
    const given = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    return this.#tokens.get(given ?? '') ?? null;
  }

  async #rest(request: IncomingMessage, url: URL, raw: Buffer): Promise<Reply> {
    const method = request.method ?? 'GET';
    const matched = this.#api.match(method, url.pathname);
    if (matched === null) {
      this.violations.push(`${method} ${url.pathname} is not an operation GitHub describes`);
      return { status: 404, body: { message: 'Not Found' } };
    }
    const { operation, params } = matched;
    const token = this.#authenticated(request);
    if (token === null) return { status: 401, body: { message: 'Bad credentials', status: '401' } };
    const lack = lacking(operation.id, token.permissions);
    if (lack !== null) {
      const headers = { 'x-accepted-github-permissions': lack };
      return {
        status: 403,
        body: { message: 'Resource not accessible by integration', status: '403' },
        headers,
      };
    }
    const body = operation.body === null ? undefined : jsonOf(raw);
    const faults = [
      ...this.#api.requestFaults(operation, body),
      ...this.#api.queryFaults(operation, url.searchParams),
    ];
    if (faults.length > 0) {
      this.violations.push(...faults.map((fault) => `${operation.id}: ${fault}`));
      return { status: 422, body: { message: `Invalid request.\n\n${faults.join('\n')}` } };
    }
    const exchange: Exchange = {
      params,
      query: url.searchParams,
      body,
      raw,
      headers: request.headers,
      token,
      origin: this.url,
      path: url.pathname,
    };
    const reply = await this.#routes[operation.id]?.(exchange);
    if (reply === undefined) throw new Error(`no route for ${operation.id}`);
    if (reply.status >= 300 || reply.body === undefined || Buffer.isBuffer(reply.body)) return reply;
    return { ...reply, body: this.#api.answer(operation, reply.status, reply.body) };
  }

  async #graphql(request: IncomingMessage, raw: Buffer): Promise<Reply> {
    const token = this.#authenticated(request);
    if (token === null) return { status: 401, body: { message: 'Bad credentials' } };
    const { query, variables } = z
      .object({ query: z.string(), variables: z.record(z.string(), z.unknown()).optional() })
      .parse(jsonOf(raw));
    const schema = buildSchema(
      readFileSync(new URL('../../../../fixtures/github/graphql-subset.graphql', import.meta.url), 'utf8'),
    );
    const rootValue = { viewer: { login: token.login, databaseId: token.userId, id: `U_${token.userId}` } };
    const result = await graphql({ schema, source: query, rootValue, variableValues: variables ?? {} });
    if (result.errors !== undefined) this.violations.push(...result.errors.map((error) => error.message));
    return { status: 200, body: result };
  }
}

function jsonOf(raw: Buffer): unknown {
  if (raw.length === 0) return undefined;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, reply: Reply): void {
  const { status, body, headers = {} } = reply;
  const text = body === undefined || Buffer.isBuffer(body) || typeof body === 'string';
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(text ? body : JSON.stringify(body));
}
