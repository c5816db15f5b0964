/** What the first line of our comment says to the next job that finds it. Invisible in the conversation. */
export interface CommentMarker {
  /** Tells several benchmarks of one repository apart. */
  readonly key: string;
  /** GITHUB_RUN_ID of the measuring run; grows with time over the whole platform. */
  readonly runId: number;
  readonly attempt: number;
  /** Measured commit. */
  readonly head: string;
  readonly state: CommentState;
  /** Digest of what the comment says of the policy; left out in a comment of an earlier version. */
  readonly said?: string;
  /** The last result before a comment that has none: what it said, and of which commit. Left out where there was none. */
  readonly last?: { readonly head: string; readonly said: string };
}
export type CommentState = 'running' | 'interrupted' | 'finished';

const RANK: Record<CommentState, number> = { running: 0, interrupted: 1, finished: 2 };
const LINE =
  /^<!-- rollout-bench key=([A-Za-z0-9._-]{1,100}) run=(\d{1,15}) attempt=(\d{1,6}) head=([0-9a-f]{7,64}) state=(running|interrupted|finished)(?: said=([0-9a-f]{12}))?(?: last=([0-9a-f]{7,64})-([0-9a-f]{12}))? -->$/;

/** The key as it may stand in a marker. */
export function markerKey(name: string): string {
  const key = name.replace(/[^A-Za-z0-9._]+/g, '-').slice(0, 100);
  return key === '' ? 'default' : key;
}

export function markerLine({ key, runId, attempt, head, state, said, last }: CommentMarker): string {
  const before = last === undefined ? '' : ` last=${last.head}-${last.said}`;
  const words = `${said === undefined ? '' : ` said=${said}`}${before}`;
  return `<!-- rollout-bench key=${markerKey(key)} run=${runId} attempt=${attempt} head=${head} state=${state}${words} -->`;
}

/** The marker on the first line of a comment; null when there is none. A marker anywhere else is a quotation. */
export function parseMarker(body: string): CommentMarker | null {
  const first = body.slice(0, 400).split('\n', 1)[0] ?? '';
  const found = LINE.exec(first.trimEnd());
  if (found === null) return null;
  const [, key = '', run = '', attempt = '', head = '', state = '', said, lastHead, lastSaid] = found;
  if (state !== 'running' && state !== 'interrupted' && state !== 'finished') return null;
  const words = {
    ...(said === undefined ? {} : { said }),
    ...(lastHead === undefined || lastSaid === undefined ? {} : { last: { head: lastHead, said: lastSaid } }),
  };
  return { key, runId: Number(run), attempt: Number(attempt), head, state, ...words };
}

/** What the last result said, and of which commit; null when there was none, or nobody wrote down what it said. Pure. */
export function lastResult({ said, head, last }: CommentMarker): NonNullable<CommentMarker['last']> | null {
  return said === undefined ? (last ?? null) : { head, said };
}

/**
 * Whether `next` may replace `present`. The pull request's present head wins over any other commit; between runs the
 * later run, then the later attempt; within one attempt a result is never replaced by "running".
 * @param pullHead the pull request's head commit now, null when unknown
 */
export function mayReplace(next: CommentMarker, present: CommentMarker, pullHead: string | null): boolean {
  if (next.head !== present.head && pullHead !== null) {
    if (present.head === pullHead) return false;
    if (next.head === pullHead) return true;
  }
  if (next.runId !== present.runId) return next.runId > present.runId;
  if (next.attempt !== present.attempt) return next.attempt > present.attempt;
  return RANK[next.state] >= RANK[present.state];
}
