import * as z from 'zod';
import { type PullSource, pullOfPayload } from '../../github/pull-request.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { type EventBase, eventBase } from '../../platform/workflow-events.ts';
import {
  type EventFacts,
  type FactsRequest,
  NOWHERE,
  type Standing,
  standingOfRef,
  tagOf,
} from './ref-standing.ts';
import { ofWorkflowRun } from './workflow-run-facts.ts';

const repo = z.object({ id: z.int(), default_branch: z.string().optional() });
const anyEvent = z.object({ repository: repo.optional() });
const pullBase = z.object({ pull_request: z.object({ base: z.object({ ref: z.string() }) }) });
const mergeGroup = z.object({ merge_group: z.object({ base_ref: z.string() }) });

/** Pure. A payload that is not what its event promises counts as one that says nothing. */
export function eventFacts(request: FactsRequest): EventFacts {
  const { context, claimed, payload } = request;
  if (eventBase(context.eventName) === 'measuring-run') return ofWorkflowRun(request);
  const headCommit = context.headCommit ?? claimed.headCommit;
  return {
    measuringRunId: null,
    headCommit,
    event: context.eventName,
    unauthenticated: isFork(payload),
    ...standingOf(eventBase(context.eventName) ?? 'none', request),
    pull: pullSource(request, headCommit),
  };
}

function standingOf(base: EventBase, { context, payload }: FactsRequest): Standing {
  const { ref } = context;
  const standard = anyEvent.safeParse(payload).data?.repository?.default_branch ?? null;
  switch (base) {
    case 'own-branch':
      return ref === null ? NOWHERE : standingOfRef(ref, standard);
    case 'pull-request': {
      const baseBranch = pullBase.safeParse(payload).data?.pull_request.base.ref ?? null;
      const number = context.pullRequest;
      return { branch: number === null ? null : `pull/${number}`, onBranch: false, baseBranch };
    }
    case 'merge-queue': {
      const target = mergeGroup.safeParse(payload).data?.merge_group.base_ref.replace(/^refs\/heads\//, '');
      const named = ref === null ? null : standingOfRef(ref, standard).baseBranch;
      return { ...NOWHERE, baseBranch: target ?? named };
    }
    case 'published':
      return { branch: tagOf(ref), onBranch: false, baseBranch: standard };
    case 'default-branch':
      return { ...NOWHERE, baseBranch: standard };
    default:
      return NOWHERE;
  }
}

/** What the event says by itself, before any bundle is read. Pure. */
export function eventAlone(
  context: RunContext,
  payload: unknown,
): Pick<EventFacts, 'measuringRunId' | 'headCommit'> {
  const claimed = { pullRequest: null, headCommit: null };
  return eventFacts({ context, payload, prNumber: null, claimed });
}

/**
 * Called before anything is measured, since hours of rollouts are no time to learn that their report has no place.
 * @throws RbError RB523 when the event is about a pull request and its payload is none.
 */
export function requirePull(
  context: RunContext,
  payload: unknown,
  { mode, prNumber }: Pick<Inputs, 'mode' | 'prNumber'>,
): void {
  if (mode !== 'run' && prNumber === null && context.pullRequest !== null) pullOfPayload(payload);
}

/** Events whose commit is nobody's head: a queue's, and what the clock starts. */
const OF_NO_PULL: ReadonlySet<string | null> = new Set(['schedule', 'merge_group']);

function pullSource(
  { context, payload, prNumber }: FactsRequest,
  headCommit: string | null,
): PullSource | null {
  if (prNumber !== null && headCommit !== null) return { kind: 'number', number: prNumber, sha: headCommit };
  if (context.pullRequest !== null) return { kind: 'event', pull: pullOfPayload(payload) };
  if (headCommit === null || OF_NO_PULL.has(context.eventName)) return null;
  return { kind: 'commit', sha: headCommit };
}

const pullRepos = z.object({
  pull_request: z.object({ head: z.object({ repo: repo.nullish() }), base: z.object({ repo }) }),
});

function isFork(payload: unknown): boolean {
  const parsed = pullRepos.safeParse(payload);
  if (!parsed.success) return false;
  const { head, base } = parsed.data.pull_request;
  return head.repo?.id !== base.repo.id;
}

/**
 * What a reader of the report has to know of the event: that nothing can be compared, or that nothing is kept. Pure.
 */
export function eventNotes({ event, baseBranch, branch, unauthenticated }: EventFacts): {
  readonly noBase: string | null;
  readonly notKept: string | null;
} {
  const known = eventBase(event) === null && event !== null ? ', which this version does not know,' : '';
  const name = event === null ? 'Without an event there' : `The event ${event}${known}`;
  const names = event === null ? 'is no branch' : 'names no branch';
  return {
    noBase: baseBranch === null ? `${name} ${names} to compare with: only floors decide.` : null,
    notKept:
      branch === null && !unauthenticated
        ? `${name} names no branch that lasts, so nothing of it enters history, badge or page.`
        : null,
  };
}
