import { errorOf, type RbError, refusal } from '../../errors/rb-error.ts';
import type { Attribution } from './attribute.ts';
import type { NativeJob } from './into-episodes.ts';

const ANOTHER = 'Name a workspace whose SESSIONS.md lists finished sessions, and sessions that are in it.';

/** A report on them would say which cells they are. */
export function heldOutSessions(ids: readonly string[]): RbError {
  return errorOf('RB431', {
    where: ids.slice(0, 5).join(', '),
    message: 'These are sessions of held-out cells, which no report may name.',
    fix: 'Leave them out. The public bundle of their run carries the aggregate.',
  });
}

/** RB513 where no session is finished at all. */
export function nothing(unsettled: readonly string[]): RbError {
  const message = 'There is no finished session that somebody else queued.';
  if (unsettled.length === 0) return cannotCollect('RB513', 'SESSIONS.md', message);
  return cannotCollect('RB513', 'SESSIONS.md', `${message} ${waitText(unsettled)}.`, WAIT);
}

const WAIT =
  'Collect again when the verifier has decided, or turn verification off and run the sessions anew.';

function waitText(unsettled: readonly string[]): string {
  return `${unsettled.length} wait for a verifier (${unsettled.slice(0, 5).join(', ')})`;
}

interface NoneReported extends Pick<Attribution, 'unattributable' | 'otherKinds'> {
  readonly unsettled: readonly string[];
  readonly nativeJobs: readonly NativeJob[];
  /** Why TARGETS.md is not read; null when it is. */
  readonly targetsFault: string | null;
}

/** RB513 where sessions are finished, and of none a report can be made: each reason with its number, and what to do. */
export function noneAttributable(found: NoneReported): RbError {
  const { unattributable, otherKinds, unsettled, nativeJobs, targetsFault } = found;
  const [first] = unattributable;
  const reasons = [
    first === undefined
      ? null
      : `of ${unattributable.length} nothing tells which episode they ran; ${first.session.sessionId}: ${first.reason}`,
    otherKinds.length === 0 ? null : `${otherKinds.length} ran on targets that are no simulation`,
    nativeJobs.length === 0 ? null : `${nativeJobs.length} are jobs that the target ran itself`,
    unsettled.length === 0 ? null : waitText(unsettled),
  ].filter((each) => each !== null);
  return cannotCollect(
    'RB513',
    'SESSIONS.md',
    `No finished session can be reported on: ${reasons.join('; ')}.`,
    fixOf(first !== undefined && targetsFault !== null, nativeJobs, unsettled),
  );
}

function fixOf(isRefused: boolean, [job]: readonly NativeJob[], unsettled: readonly string[]): string {
  const fixes = [
    isRefused ? 'Mend TARGETS.md, or say with `dialect` which runtime reads it.' : null,
    job === undefined ? null : `Import the result files of a job: \`rollout-bench import ${job.folder}\`.`,
    unsettled.length === 0 ? null : WAIT,
  ].filter((each) => each !== null);
  return fixes.length === 0 ? ANOTHER : fixes.join(' ');
}

export function cannotCollect(
  code: 'RB511' | 'RB512' | 'RB513',
  where: string,
  message: string,
  fix: string = ANOTHER,
): RbError {
  return refusal({ code, where, message, fix });
}
