import { readInputs } from '../../../src/inputs/read-inputs.ts';
import type { VerbContext } from '../../../src/job/verb.ts';
import { fastClock, KeptLog, REPOSITORY } from '../github/loopback/client-for.ts';
import type { LoopbackGitHub } from '../github/loopback/loopback-github.ts';

/** A workflow step that talks to the loopback GitHub with the token `t`. */
export class LoopbackStep {
  readonly github: LoopbackGitHub;
  readonly log = new KeptLog();
  /** What main saved for the post step. */
  readonly state = new Map<string, string>();
  readonly cancelled = new AbortController();
  readonly #event: Readonly<Record<string, string>>;

  /** @param event variables of the event, e.g. GITHUB_EVENT_NAME. */
  constructor(github: LoopbackGitHub, event: Readonly<Record<string, string>>) {
    this.github = github;
    this.#event = event;
  }

  env(): Record<string, string> {
    return {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: this.github.url,
      GITHUB_REPOSITORY: `${REPOSITORY.owner}/${REPOSITORY.repo}`,
      'INPUT_GITHUB-TOKEN': 't',
      ...this.#event,
    };
  }

  main(raw: Record<string, string>): VerbContext {
    return {
      screen: null,
      args: [],
      options: new Map(),
      inputs: readInputs({ 'github-token': 't', ...raw }),
      json: false,
      log: this.log,
      clock: fastClock(),
      signal: this.cancelled.signal,
      env: this.env(),
      stdout: () => undefined,
      action: { setOutput: () => undefined, saveState: (name, value) => this.state.set(name, value) },
    };
  }

  /** The context of the post step, with the state as main left it. */
  post() {
    const state = Object.fromEntries(this.state);
    return { state, log: this.log, clock: fastClock(), signal: this.cancelled.signal, env: this.env() };
  }
}
