import * as z from 'zod';
import type { GitHubClient } from './client.ts';
import { GitHubFailure } from './failure.ts';

/** The account that workflow tokens write as. Nobody but this repository's workflows can. */
const WORKFLOW_BOT = 'github-actions[bot]';
const viewerSchema = z.object({
  data: z.object({ viewer: z.object({ databaseId: z.number().nullable() }) }),
});

interface Author {
  readonly id: number;
  readonly login: string;
  readonly type?: string | undefined;
}

/**
 * Who our token writes as. The REST API does not tell an installation token; GraphQL does, so it is asked once, and
 * only when the answer matters.
 */
export class OwnIdentity {
  readonly #client: GitHubClient;
  #id: Promise<number | null> | null = null;

  constructor(client: GitHubClient) {
    this.#client = client;
  }

  /** From the answer to something we wrote. */
  learn(id: number): void {
    this.#id = Promise.resolve(id);
  }

  /** Account id; null when GitHub does not say. */
  id(): Promise<number | null> {
    this.#id ??= this.#ask();
    return this.#id;
  }

  /** The token is an installation's, which the workflow token is; the workflow bot's comments may be taken as ours. */
  get isInstallation(): boolean {
    return this.#client.settings.token.startsWith('ghs_');
  }

  async #ask(): Promise<number | null> {
    const { apiUrl } = this.#client.settings;
    try {
      const answer = await this.#client.request({
        route: `POST ${apiUrl.replace(/\/api\/v3\/?$/, '/api').replace(/\/$/, '')}/graphql`,
        params: { query: 'query { viewer { databaseId } }' },
        schema: viewerSchema,
        purpose: { what: 'ask whose token this is', permissions: ['pull-requests: write'] },
      });
      return answer.data.viewer.databaseId;
    } catch (error) {
      if (error instanceof GitHubFailure) return null;
      throw error;
    }
  }
}

/** Whether we wrote it; in doubt not, so that nothing of anybody else is changed. */
export async function isOwnComment(identity: OwnIdentity, author: Author | null): Promise<boolean> {
  if (author === null) return false;
  const workflowBot = author.login === WORKFLOW_BOT && author.type === 'Bot';
  if (workflowBot && identity.isInstallation) return true;
  const own = await identity.id();
  return own === null ? workflowBot : author.id === own;
}
