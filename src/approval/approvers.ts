import * as z from 'zod';
import { type ApprovalSource, EXCLUSIONS, type Exclusion } from '../model/approval.ts';

/** An account as GitHub names it; the type is null where it does not say one. */
export interface Account {
  readonly login: string;
  /** `User` is a person; `Bot` and everything else is none. */
  readonly type: string | null;
}

/** Accounts that the operator of a host lets approve all the same, by why they could not. */
export type Exceptions = Readonly<Record<Exclusion, readonly string[]>>;

export const NO_EXCEPTIONS: Exceptions = { author: [], starter: [], bot: [] };

/** Who has a part in what is going to be measured. */
interface Involved {
  /** Whoever opened the pull request, and whoever pushed to it last. */
  readonly authors: readonly string[];
  /** Whoever started the workflow run, or started it again. */
  readonly starters: readonly string[];
  /** Setting the label that approves is what started it: for the label alone its setter started nothing. */
  readonly byLabel?: true;
}

export interface Approvers {
  readonly involved: Involved;
  readonly exceptions: Exceptions;
}

/** What an account may do here: null is nothing against it. */
interface Standing {
  /** Why it may not approve, in words; null when it may. */
  readonly refused: string | null;
  /** What it may do by the operator's word alone, in the order of `EXCLUSIONS`. */
  readonly excepted: readonly Exclusion[];
}

const WORDS: Readonly<Record<Exclusion, string>> = {
  author: 'made this change',
  starter: 'started this run',
  bot: 'is no person',
};

/** Whether an account may approve, all reasons against it at once. Pure. */
export function standingOf(account: Account, { involved, exceptions }: Approvers): Standing {
  const { login } = account;
  const against: Readonly<Record<Exclusion, boolean>> = {
    author: isAmong(login, involved.authors),
    starter: isAmong(login, involved.starters),
    bot: isNoPerson(account),
  };
  const reasons = EXCLUSIONS.filter((reason) => against[reason]);
  const refused = reasons.filter((reason) => !isAmong(login, exceptions[reason]));
  const words = refused.map((reason) => WORDS[reason]).join(' and ');
  return {
    refused: refused.length === 0 ? null : `${login} ${words}, and so cannot approve it`,
    excepted: refused.length === 0 ? reasons : [],
  };
}

/** Both at once: whoever has a part by any of the two has one. Pure. */
export function together(left: Involved, right: Partial<Involved>): Involved {
  return {
    ...left,
    authors: [...left.authors, ...(right.authors ?? [])],
    starters: [...left.starters, ...(right.starters ?? [])],
  };
}

/** Who has a part in it as far as an approval by this source is concerned. Pure. */
export function forSource(source: ApprovalSource, { involved, exceptions }: Approvers): Approvers {
  const nobody = source === 'label' && involved.byLabel === true;
  return { involved: nobody ? { ...involved, starters: [] } : involved, exceptions };
}

/** GitHub's logins do not tell upper from lower case. */
function isAmong(login: string, logins: readonly string[]): boolean {
  return logins.some((each) => each.toLowerCase() === login.toLowerCase());
}

/** The name counts too: an answer may leave out the type, and no person's login has a bracket. */
function isNoPerson({ login, type }: Account): boolean {
  return (type !== null && type !== 'User') || /\[bot\]$/i.test(login);
}

const person = z.object({ login: z.string() }).nullish();

/** The few fields of an event that tell who has a part in it. */
const eventSchema = z.object({
  action: z.string().optional().catch(undefined),
  label: z.object({ name: z.string() }).optional().catch(undefined),
  pull_request: z.object({ user: person }).optional().catch(undefined),
});

/**
 * Who has a part in a run by its event and the runner's variables. Pure.
 *
 * Setting the label that approves may itself start the run (`types: [labeled]`): whoever set it did not start anything
 * but that, where the label is what approves. A schedule has no starter; whoever starts its run again has started it.
 * @param payload the event's JSON, undefined where there is none
 */
export function involvedIn(
  env: Readonly<Record<string, string | undefined>>,
  payload: unknown,
  approvalLabel: string,
): Involved {
  if (env.GITHUB_ACTIONS !== 'true') return { authors: [], starters: [] };
  const event = eventSchema.safeParse(payload ?? {}).data ?? {};
  const author = event.pull_request?.user?.login;
  const byLabel = event.action === 'labeled' && isAmong(event.label?.name ?? '', [approvalLabel]);
  return {
    authors: author === undefined ? [] : [author],
    starters: startersOf({
      event: env.GITHUB_EVENT_NAME ?? '',
      actor: env.GITHUB_ACTOR ?? null,
      again: env.GITHUB_TRIGGERING_ACTOR ?? null,
      attempt: Number(env.GITHUB_RUN_ATTEMPT ?? 1),
    }),
    ...(byLabel ? { byLabel } : {}),
  };
}

interface RunStart {
  /** Name of the event. */
  readonly event: string;
  /** Whoever the event is of; null is unknown. */
  readonly actor: string | null;
  /** Whoever started this attempt; null is unknown. */
  readonly again: string | null;
  /** From 1. */
  readonly attempt: number;
}

/** Who started a workflow run. A schedule's actor is whoever edited the workflow last, which starts nothing. Pure. */
export function startersOf({ event, actor, again, attempt }: RunStart): string[] {
  const people = event === 'schedule' ? (attempt > 1 ? [again] : []) : [actor, again];
  return people.filter((each) => each !== null).filter((each) => each !== '');
}
