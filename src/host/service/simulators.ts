import type { TargetDescription } from '../../describe/description.ts';
import type { Scheduled } from '../adapter-plan.ts';
import { type Described, differences } from './descriptions.ts';

/** In the config of a target: further simulators that may serve its sessions. Never sent to a simulator. */
export const ENDPOINTS_KEY = 'target-endpoints';
/** A simulator that did not answer is asked again after this time. */
const ASK_AGAIN_MS = 30_000;

interface SimulatorsOptions {
  /** Endpoints that serve each other's targets, beside what configs say. */
  readonly groups: readonly (readonly string[])[];
  readonly describe: (endpoint: string) => Promise<Described>;
  readonly now: () => number;
  /** Something may be free that was not. */
  readonly onChange: () => void;
  /** A simulator that may not be used, and why. */
  readonly onRefused: (endpoint: string, why: string) => void;
}

type Check =
  | { readonly kind: 'asking' }
  | { readonly kind: 'equal' }
  | { readonly kind: 'other' }
  | { readonly kind: 'silent'; readonly askAgainMs: number };

interface Group {
  readonly endpoints: readonly string[];
  readonly checks: Map<string, Check>;
  /** What the others are compared with: the first in the list that answered. */
  reference: TargetDescription | null;
}

/** `dummy` for a target that runs in this process; one session at a time there as well. */
const LOCAL = 'local:';

/** One session at a time for each simulator, and several simulators for one target where they describe equal versions. */
export class Simulators {
  readonly #options: SimulatorsOptions;
  readonly #busy = new Set<string>();
  readonly #groups = new Map<string, Group>();

  constructor(options: SimulatorsOptions) {
    this.#options = options;
  }

  /** A free simulator for the session, which is then taken; null while there is none. */
  take(scheduled: Scheduled): string | null {
    const group = this.#groupOf(scheduled);
    const free = this.#usable(group).find((endpoint) => !this.#isBusy(endpoint)) ?? null;
    if (free !== null) this.#busy.add(simulatorOf(free));
    return free;
  }

  release(endpoint: string): void {
    this.#busy.delete(simulatorOf(endpoint));
  }

  /** Sessions go to its other simulators for a while, where it has any. */
  failed(endpoint: string): void {
    for (const group of this.#groups.values()) {
      if (group.endpoints.length > 1 && group.checks.get(endpoint)?.kind === 'equal')
        this.#silence(group, endpoint);
    }
  }

  /** Simulators that work at once for whoever names one of them; of those that were asked for. */
  working(): readonly (readonly string[])[] {
    return [...this.#groups.values()]
      .map((group) => this.#usable(group).filter((endpoint) => !endpoint.startsWith(LOCAL)))
      .filter((endpoints) => endpoints.length > 0);
  }

  /** The same as `endpointOf(taken)` for messages and connections: null for a target in this process. */
  endpointOf(taken: string): string | null {
    return taken.startsWith(LOCAL) ? null : taken;
  }

  /** Makes a group known before the first session names it, so that its size can be told. */
  announce(target: Scheduled['target']): void {
    this.#usable(this.#groupOf({ target, session: null }));
  }

  #usable(group: Group): readonly string[] {
    if (group.endpoints.length === 1) return group.endpoints;
    const due = group.endpoints.filter((endpoint) => this.#isDue(group, endpoint));
    for (const endpoint of due) group.checks.set(endpoint, { kind: 'asking' });
    if (due.length > 0) void this.#ask(group, due);
    const equal = group.endpoints.filter((endpoint) => group.checks.get(endpoint)?.kind === 'equal');
    const asking = [...group.checks.values()].some(({ kind }) => kind === 'asking');
    // Nobody answers: the session shall meet that itself.
    return equal.length > 0 || asking ? equal : group.endpoints.slice(0, 1);
  }

  #isDue({ checks }: Group, endpoint: string): boolean {
    const check = checks.get(endpoint);
    if (check === undefined) return true;
    // A simulator at work answers late, and its own session says how it is.
    return check.kind === 'silent' && this.#options.now() >= check.askAgainMs && !this.#isBusy(endpoint);
  }

  async #ask(group: Group, endpoints: readonly string[]): Promise<void> {
    const answers = await Promise.all(endpoints.map((endpoint) => this.#options.describe(endpoint)));
    const first = answers.find((answer) => answer.kind === 'described');
    if (first?.kind === 'described') group.reference ??= first.description;
    for (const [index, answer] of answers.entries()) this.#note(group, endpoints[index] ?? '', answer);
    this.#options.onChange();
  }

  #note(group: Group, endpoint: string, answer: Described): void {
    const { reference } = group;
    if (answer.kind === 'silent' || reference === null) {
      this.#silence(group, endpoint);
      const why = answer.kind === 'silent' ? answer.why : 'it cannot say which version it is';
      this.#options.onRefused(endpoint, why);
      return;
    }
    const why =
      answer.kind === 'mute'
        ? 'it cannot say which version it is'
        : differences(reference, answer.description).join('; ');
    group.checks.set(endpoint, { kind: why === '' ? 'equal' : 'other' });
    if (why !== '') this.#options.onRefused(endpoint, `it is not like the first one: ${why}`);
  }

  #silence(group: Group, endpoint: string): void {
    group.checks.set(endpoint, { kind: 'silent', askAgainMs: this.#options.now() + ASK_AGAIN_MS });
  }

  #isBusy(endpoint: string): boolean {
    return this.#busy.has(simulatorOf(endpoint));
  }

  #groupOf(needs: Needs): Group {
    const endpoints = this.#endpointsOf(needs);
    const key = endpoints.join(' ');
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { endpoints, checks: new Map(), reference: null };
    this.#groups.set(key, group);
    return group;
  }

  #endpointsOf({ target, session }: Needs): readonly string[] {
    if (target.target_class === 'local') return [LOCAL + target.runtime.target_runtime];
    const named = session?.routing.target_endpoint || null;
    const own = named ?? target.runtime.target_endpoint ?? '';
    const listed = named === null ? (listedEndpoints(target.config) ?? []) : [];
    const is = simulatorOf(own);
    const flagged =
      this.#options.groups.find((group) => group.some((each) => simulatorOf(each) === is)) ?? [];
    const all = new Map([own, ...listed, ...flagged].toReversed().map((each) => [simulatorOf(each), each]));
    return [...all.values()].toReversed();
  }
}

/** A target, with or without a session that may name another endpoint. */
interface Needs {
  readonly target: Scheduled['target'];
  readonly session: Scheduled['session'] | null;
}

/**
 * What tells one simulator from another: host and port. Servers ignore paths, and one simulator under two spellings must
 * not run two sessions at once.
 */
export function simulatorOf(endpoint: string): string {
  const match = /^targetws:\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]*)(?::(\d+))?/i.exec(endpoint);
  if (match === null) return endpoint;
  const host = (match[1] ?? '').toLowerCase();
  return `${/^(?:localhost|\[::1\]|0\.0\.0\.0)$/.test(host) ? '127.0.0.1' : host}:${match[2] ?? '80'}`;
}

/** The endpoints that a target's config lists; null when something else stands there. */
export function listedEndpoints(config: Readonly<Record<string, unknown>>): readonly string[] | null {
  const listed = config[ENDPOINTS_KEY] ?? [];
  if (!Array.isArray(listed) || listed.length > MAX_ENDPOINTS) return null;
  const endpoints = listed.filter((each): each is string => typeof each === 'string' && ENDPOINT.test(each));
  return endpoints.length === listed.length ? endpoints : null;
}

/** As `src/describe` and the runtime take it; the port may be left out. */
const ENDPOINT = /^targetws:\/\/[^\s/]+/i;
const MAX_ENDPOINTS = 100;
