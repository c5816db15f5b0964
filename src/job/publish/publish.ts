import type { Problem } from '../../errors/rb-error.ts';
import { problemLine } from '../../errors/rb-error.ts';
import type { UploadOutcome } from '../../github/artifacts.ts';
import type { CheckOutcome } from '../../github/check-run.ts';
import type { CommentOutcome } from '../../github/comment.ts';
import { problemsOf } from '../../github/failure.ts';
import type { AssetOutcome } from '../../github/release-asset.ts';
import type { BranchOutcome } from '../../github/report-branch.ts';
import type { Clock, Log } from '../../platform/ports.ts';
import { reportBug } from '../guard.ts';

/** What earlier publishers left for later ones to link to; null when they did not run or failed. */
export interface Published {
  readonly artifact: UploadOutcome | null;
  readonly release: readonly AssetOutcome[] | null;
  readonly branch: BranchOutcome | null;
  readonly check: CheckOutcome | null;
  /** Null also when there is no pull request. */
  readonly comment: CommentOutcome | null;
}

type Step<T> = ((soFar: Published) => Promise<T>) | null;

/** One function per publisher; null leaves it out. They run in the order below, whatever the order here. */
export interface PublishSteps {
  readonly artifact: Step<UploadOutcome>;
  readonly release: Step<readonly AssetOutcome[]>;
  readonly summary: Step<void>;
  readonly branch: Step<BranchOutcome>;
  readonly check: Step<CheckOutcome>;
  readonly comment: Step<CommentOutcome | null>;
}

interface PublisherOutcome {
  readonly publisher: keyof PublishSteps;
  readonly status: 'done' | 'left-out' | 'failed';
  readonly ms: number;
  readonly problems: readonly Problem[];
}
export interface PublishResult {
  readonly published: Published;
  readonly outcomes: readonly PublisherOutcome[];
}

const NOTHING: Published = { artifact: null, release: null, branch: null, check: null, comment: null };

/**
 * Runs the publishers: artifact and release asset first, so that everything after can link to evidence that is safe,
 * then summary, branch, check, comment. One that fails becomes warnings and changes neither the others nor the
 * verdict; this function never throws. An error that is a bug is shown with its stack and counts as failed.
 */
export async function publish(
  steps: PublishSteps,
  ports: { readonly log: Log; readonly clock: Clock },
): Promise<PublishResult> {
  const outcomes: PublisherOutcome[] = [];
  let published = NOTHING;
  const run = async <T>(publisher: keyof PublishSteps, step: Step<T>): Promise<T | null> => {
    const { outcome, value } = await attempt(publisher, step, published, ports);
    outcomes.push(outcome);
    return value;
  };
  published = { ...published, artifact: await run('artifact', steps.artifact) };
  published = { ...published, release: await run('release', steps.release) };
  await run('summary', steps.summary);
  published = { ...published, branch: await run('branch', steps.branch) };
  published = { ...published, check: await run('check', steps.check) };
  published = { ...published, comment: await run('comment', steps.comment) };
  return { published, outcomes };
}

async function attempt<T>(
  publisher: keyof PublishSteps,
  step: Step<T>,
  soFar: Published,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): Promise<{ outcome: PublisherOutcome; value: T | null }> {
  if (step === null) return { outcome: { publisher, status: 'left-out', ms: 0, problems: [] }, value: null };
  const begun = clock.now();
  try {
    const value = await step(soFar);
    return { outcome: { publisher, status: 'done', ms: clock.now() - begun, problems: [] }, value };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === null) reportBug(error, log);
    for (const problem of problems ?? []) log.warning(problemLine(problem));
    const outcome = {
      publisher,
      status: 'failed',
      ms: clock.now() - begun,
      problems: problems ?? [],
    } as const;
    return { outcome, value: null };
  }
}
