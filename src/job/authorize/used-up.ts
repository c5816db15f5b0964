import type { Use } from '../../approval/uses.ts';
import { shellWord } from '../../base/shell-word.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { type ApprovalSource, type Reservation, SOURCES } from '../../model/approval.ts';
import type { RunContext } from '../../platform/run-context.ts';
import { type WayOn, wayOn } from '../runs/way-on.ts';
import { queuedBefore } from './queued-before.ts';

const SHOWN = 3;

const ANOTHER: Readonly<Record<ApprovalSource, string>> = {
  environment:
    'Start a new workflow run, or run all jobs again, and have a reviewer approve the environment once more.',
  label: 'Take the label off and have somebody with write access set it again.',
  'plan-file':
    'A plan on the branch allows one run of each commit: measure another commit, or merge another plan.',
};

interface Asker {
  /** Why GitHub gave no other approval, when it was asked. */
  readonly asked: readonly Problem[];
  /** Absolute. */
  readonly workspace: string;
  readonly context: Pick<RunContext, 'kind'>;
}

/** The right exists and another run has it: what became of that one, and what there is to do that works. */
export async function usedUp(uses: readonly Use[], asker: Asker): Promise<RbError> {
  const problems: Problem[] = [];
  for (const use of uses.slice(-SHOWN)) problems.push(await usedBy(use, asker));
  return new RbError(EXIT.refused, [...problems, ...asker.asked]);
}

async function usedBy({ reservation, state }: Use, { workspace, context }: Asker): Promise<Problem> {
  const { approvalId, suite, runId, runUrl, reservedAt } = reservation;
  const source = SOURCES.find((each) => approvalId.startsWith(`${each} `)) ?? 'label';
  const way: WayOn | null =
    state === 'settled'
      ? null
      : ((await wayOn(workspace, runId)) ?? (await withoutAttempt(workspace, runId)));
  return problemOf('RB379', {
    where: `run of ${suite}`,
    message: `its approval belongs to run ${runId} since ${reservedAt}, ${becameOf(state, way)}.`,
    value: runUrl ?? approvalId,
    fix: `${wayText(way, reservation, context)}${ANOTHER[source]}`,
    consequence: 'Nothing was queued.',
  });
}

/** A run that crashed before its first session begins anew by a resume; one whose folder was taken away does not. */
async function withoutAttempt(workspace: string, runId: string): Promise<WayOn> {
  return (await queuedBefore(workspace, runId))
    ? { kind: 'none', why: 'the folder of its attempt is gone' }
    : { kind: 'resume' };
}

function becameOf(state: Use['state'], way: WayOn | null): string {
  if (state === 'settled' || way === null) return 'which used it up';
  const how = state === 'interrupted' ? 'which was interrupted' : 'which did not say how it ended';
  if (way.kind === 'resume') return `${how}; only a resume of it may go on`;
  return way.kind === 'sealed' ? `${how} and is sealed` : `${how} and cannot go on: ${way.why}`;
}

function wayText(
  way: WayOn | null,
  { runId, runUrl, suite }: Reservation,
  { kind }: Asker['context'],
): string {
  if (way?.kind === 'sealed')
    return `Report on it: \`rollout-bench report ${shellWord(way.bundleDir)}\`. Or: `;
  if (way?.kind !== 'resume') return '';
  const again = kind === 'github' && runUrl !== null ? 'Run its job again, or go' : 'Go';
  return `${again} on here with resume: ${runId} and suite: ${suite}. Or: `;
}
