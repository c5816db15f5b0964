import { GitHubClient, type Repository } from '../github/client.ts';
import { runContext } from '../platform/run-context.ts';
import type { VerbContext } from './verb.ts';

/** A repository that can be talked to. */
export interface Connection {
  readonly client: GitHubClient;
  readonly repository: Repository;
}

/** @param repository `owner/name`. Null without a token or a repository. */
export function connectTo(
  { env, clock, log, signal }: Pick<VerbContext, 'env' | 'clock' | 'log' | 'signal'>,
  token: string | null,
  repository: string | null,
): Connection | null {
  const [owner = '', repo = ''] = (repository ?? '').split('/');
  if (token === null || token === '' || owner === '' || repo === '') return null;
  const apiUrl = env.GITHUB_API_URL ?? 'https://api.github.com';
  return {
    client: new GitHubClient({ token, apiUrl, clock, log, random: Math.random, signal }),
    repository: { owner, repo },
  };
}

/** The connection for fetching artifacts; nulls where there is no token. */
export function connectFor(
  verb: VerbContext,
  payload: unknown,
): { readonly client: GitHubClient | null; readonly repository: Repository | null } {
  const { repository } = runContext(verb.env, payload);
  return connectTo(verb, verb.inputs.githubToken, repository) ?? { client: null, repository: null };
}
