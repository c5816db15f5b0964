import type { PullSource } from '../../github/pull-request.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { queueBranch } from '../../platform/workflow-events.ts';

/** Where a measurement stands among the branches. */
export interface Standing {
  /** Branch of the history; null when nothing is kept there: no history, no badge, no page. */
  readonly branch: string | null;
  /** Measured on a branch itself, not on a tag, a queue or a pull request: only that may become its baseline. */
  readonly onBranch: boolean;
  /** Branch whose accepted baseline is compared with; null when the event has none, which the report says. */
  readonly baseBranch: string | null;
}

/** A name that may be a branch's or a tag's. */
export interface MaybeTag {
  readonly name: string;
  /** Branch to compare with when it is no branch; null when that is not known. */
  readonly otherwise: string | null;
}

export const NOWHERE: Standing = { branch: null, onBranch: false, baseBranch: null };

/** Pure. @param standard the default branch, null when the event does not say it. */
export function standingOfRef(ref: string, standard: string | null): Standing {
  if (!ref.startsWith('refs/heads/')) return { branch: tagOf(ref), onBranch: false, baseBranch: standard };
  const branch = ref.slice('refs/heads/'.length);
  const queue = queueBranch(branch);
  if (queue !== null) return { branch: null, onBranch: false, baseBranch: queue.target };
  return { branch, onBranch: true, baseBranch: branch };
}

/** `refs/tags/v1` → `tags/v1`, so that no branch can have its name. */
export function tagOf(ref: string | null): string | null {
  return ref?.startsWith('refs/tags/') === true ? ref.slice('refs/'.length) : null;
}

/** What the event says about the code that was measured; taken from GitHub, never from a bundle. */
export interface EventFacts extends Standing {
  /** The run whose artifacts are reported; null is this one. */
  readonly measuringRunId: number | null;
  readonly headCommit: string | null;
  /** Event of the measuring run. */
  readonly event: string | null;
  /** Code of strangers was measured: nothing of it enters history or baselines. */
  readonly unauthenticated: boolean;
  /** A name of the measuring run that may be a branch's or a tag's; GitHub is asked before it is believed. */
  readonly maybeTag?: MaybeTag;
  readonly pull: PullSource | null;
}

export interface FactsRequest {
  readonly context: RunContext;
  readonly payload: unknown;
  /** Input `pr-number`. */
  readonly prNumber: number | null;
  /** Pull request and commit that the bundles claim; believed only as far as GitHub confirms them. */
  readonly claimed: { readonly pullRequest: number | null; readonly headCommit: string | null };
}
