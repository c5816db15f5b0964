import type { Dialect, SessionStatus } from './session-schema.ts';

export interface WatchdogOptions {
  readonly workspace: string;
  readonly dialect?: Dialect;
  /** Pause between passes that found nothing to do (the real loop has none). Default 20 ms. */
  readonly pollMs?: number;
  /** How long the target may take for an answer. The real limit is 30,000 ms and no session changes it. */
  readonly rpcTimeoutMs?: number;
  /** `command`: a failing pass ends the watchdog. `background`: it goes on, silently (the Agent's own watchdog). */
  readonly style?: 'command' | 'background';
  /** fsync before each rename. Off by default: a stand-in need not survive a power cut, only a kill. */
  readonly fsync?: boolean;
  /** Widens the window in which the unlocked preflight write loses other people's changes. Default 0. */
  readonly preflightWindowMs?: number;
  /** Name after `@` in `claimed_by`; default this host's. */
  readonly hostName?: string;
  /** A runtime that takes the policy of the target's config, whatever the session's routing says. Default no. */
  readonly ignoresPolicyEndpoint?: boolean;
  /** Told after each status change on disk, before the next step. */
  readonly onTransition?: (sessionId: string, status: SessionStatus) => void;
  /** Told after each write of SESSIONS.md, with its new text. */
  readonly onWrite?: (text: string) => void;
}
