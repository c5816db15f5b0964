import type { ExitCode } from '../errors/rb-error.ts';
import type { Inputs } from '../inputs/read-inputs.ts';
import type { Clock, Log } from '../platform/ports.ts';
import type { TextScreen } from '../screen/text-screen.ts';

/** Environment variables as the use cases see them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** State that main leaves for the post step: the workspace in which something of ours may be left. */
export const WORKSPACE_STATE = 'workspace';

/** What only a workflow step has. */
export interface ActionStep {
  setOutput(name: string, value: string): void;
  /** Kept by the runner for the post step of the same job. */
  saveState(name: string, value: string): void;
}

/** Everything a use case gets from its entry. */
export interface VerbContext {
  /** Words after the verb that belong to no option, such as a bundle's path. */
  readonly args: readonly string[];
  /** The verb's own options: the value, or the empty string for a switch. */
  readonly options: ReadonlyMap<string, string>;
  readonly inputs: Inputs;
  /** The result as JSON on stdout instead of text. */
  readonly json: boolean;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborts at SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Takes the second SIGINT or SIGTERM, which otherwise ends the process at once; from then on the third one does. Left
   * out where nobody sends signals.
   */
  readonly secondSignal?: () => AbortSignal;
  readonly env: Environment;
  /** Results, for people or programs; messages go to the log. */
  readonly stdout: (text: string) => void;
  /** Null on the command line. */
  readonly action: ActionStep | null;
  /** Finds what no published text of this job may name; null: nothing is held out. */
  readonly screen: TextScreen | null;
}

/** A use case as the entries call it. Throws RbError for what a user or the host can mend. */
export type Verb = (context: VerbContext) => Promise<ExitCode>;

/** The post step: no inputs, only what main saved by `ActionStep.saveState`. */
export interface AfterJobContext {
  readonly state: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly env: Environment;
}

export type AfterJob = (context: AfterJobContext) => Promise<ExitCode>;
