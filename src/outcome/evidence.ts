/** What the workspace holds about one session, as plain data; `classify` judges it, the collector reads it. */
export interface SessionEvidence {
  readonly sessionId: string;
  /** The entry in SESSIONS.md (parsed YAML), null when absent. */
  readonly session: unknown;
  /** The entry in LOG.md, null when absent. */
  readonly log: unknown;
  readonly episode: EpisodeEvidence;
}

export type EpisodeEvidence =
  | { readonly state: 'present'; readonly value: unknown }
  | { readonly state: 'absent' }
  | { readonly state: 'unreadable'; readonly reason: string };
