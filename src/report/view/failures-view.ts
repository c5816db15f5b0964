import type { EpisodeRecord, Outcome } from '../../model/episode-record.ts';
import { explainedError } from '../../outcome/late-answer.ts';
import { codeOf } from '../../results/error-codes.ts';
import { artifactLink } from './artifact-link.ts';
import type { ReportInput } from './report-input.ts';

/** Rows of the table of single episodes; the rest is in episodes.csv. */
const MAX_EPISODES = 200;

interface CodeRow {
  readonly arm: string;
  readonly code: string;
  readonly episodes: number;
  readonly sessions: number;
  readonly message: string;
}

export interface FailedEpisode {
  readonly arm: string;
  readonly taskId: number;
  readonly initStateId: number;
  readonly runIndex: number;
  readonly outcome: Outcome;
  readonly code: string;
  readonly detail: string;
  readonly sessionId: string;
  readonly artifactDir: string;
  /** Where the files are, as seen from this report; null where a reader could not follow it. */
  readonly artifactLink: string | null;
}

export interface FailureView {
  readonly codes: readonly CodeRow[];
  readonly episodes: readonly FailedEpisode[];
  readonly omitted: number;
  /** Failures that used all simulator steps, of all failures: many of them mean the limit may be too low. */
  readonly atStepLimit: string | null;
}

const HARMLESS: ReadonlySet<Outcome> = new Set(['success', 'not_run', 'after_stop']);

/** Codes with counts, and every episode that neither succeeded nor stayed unrun, in planned order. */
export function failureView(input: ReportInput): FailureView {
  const { results, records } = input;
  const failed = [...records]
    .sort((left, right) => left.position - right.position)
    .filter((record) => !HARMLESS.has(record.outcome));
  return {
    codes: results.arms.flatMap((arm) =>
      arm.errorCodes.map(({ code, episodes, sessions, message }) => ({
        arm: arm.arm,
        code,
        episodes,
        sessions,
        message: message === null ? '' : explainedError(message),
      })),
    ),
    episodes: failed
      .slice(0, MAX_EPISODES)
      .map((record) => failedEpisode(record, artifactLink(input, record))),
    omitted: Math.max(0, failed.length - MAX_EPISODES),
    atStepLimit: stepLimitText(failed, results.limits.maxSteps),
  };
}

function failedEpisode(record: EpisodeRecord, link: string | null): FailedEpisode {
  return {
    arm: record.arm,
    taskId: record.taskId,
    initStateId: record.initStateId,
    runIndex: record.runIndex,
    outcome: record.outcome,
    code: codeOf(record) ?? '',
    detail: episodeDetail(record),
    sessionId: record.sessionId ?? '',
    artifactDir: record.artifactDir ?? '',
    artifactLink: link,
  };
}

/** The error, explained where its text hides what happened, and what was noted. */
export function episodeDetail({ errorMessage, notes }: EpisodeRecord): string {
  const error = errorMessage === null ? '' : explainedError(errorMessage);
  return [error, ...notes].filter((part) => part !== '').join('; ');
}

function stepLimitText(failed: readonly EpisodeRecord[], maxSteps: number | null): string | null {
  const failures = failed.filter((record) => record.outcome === 'failure');
  if (maxSteps === null || failures.length === 0) return null;
  const at = failures.filter((record) => record.steps !== null && record.steps >= maxSteps).length;
  return `${at} of ${failures.length} failures used all ${maxSteps} simulator steps.`;
}
