/** One described request as the routes see it. */
export interface Exchange {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON body; already held against GitHub's description. */
  readonly body: unknown;
  readonly raw: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly token: TokenFacts;
  readonly origin: string;
  readonly path: string;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Access = 'read' | 'write';
export type PermissionName = 'actions' | 'checks' | 'contents' | 'issues' | 'pull-requests';
export type Permissions = Partial<Record<PermissionName, Access>>;

export interface TokenFacts {
  readonly login: string;
  readonly userId: number;
  readonly permissions: Permissions;
}

export type Route = (exchange: Exchange) => Reply | Promise<Reply>;

export const notFound = (message = 'Not Found'): Reply => ({ status: 404, body: { message, status: '404' } });
export const unprocessable = (message: string, errors: readonly unknown[] = []): Reply => ({
  status: 422,
  body: { message, errors, status: '422' },
});

/** Slice and link header of a paged list. */
export function paged<T>(
  items: readonly T[],
  { query, origin, path }: Exchange,
): { page: readonly T[]; headers: Record<string, string> } {
  const size = Math.min(Number(query.get('per_page') ?? '30'), 100);
  const page = Number(query.get('page') ?? '1');
  const last = Math.max(1, Math.ceil(items.length / size));
  const linkTo = (n: number, rel: string) => `<${origin}${path}?per_page=${size}&page=${n}>; rel="${rel}"`;
  const headers = page < last ? { link: `${linkTo(page + 1, 'next')}, ${linkTo(last, 'last')}` } : undefined;
  return { page: items.slice((page - 1) * size, page * size), headers: headers ?? {} };
}
