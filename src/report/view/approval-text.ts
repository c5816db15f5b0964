import type { Approval } from '../../model/approval.ts';
import type { Results } from '../../model/results.ts';

/** Who approved a run, where and for what, in one line; null for a run that nobody had to approve. Pure. */
export function approvalText({ run, purpose }: Pick<Results, 'run' | 'purpose'>): string | null {
  if (run.approval?.state === 'approved') return approvedText(run.approval.approval);
  if (run.approval?.state === 'waived') return `none: ${run.approval.why}`;
  if (purpose !== 'release') return null;
  return typeof run.source.githubRunId === 'string' ? 'none' : 'none: started from the command line';
}

function approvedText({ reference, actor, at, url, excepted }: Approval): string {
  const allowed = excepted === undefined ? '' : ', whom the operator of the host allows by name,';
  const who = actor === null ? '' : ` by ${actor}${allowed}`;
  const when = at === null ? '' : ` at ${at}`;
  return `${placeOf(reference)}${who}${when}, for one run: ${url}`;
}

function placeOf(reference: Approval['reference']): string {
  switch (reference.source) {
    case 'environment':
      return `environment ${reference.environment}`;
    case 'label':
      return `label ${reference.label} on pull request ${reference.pullRequest}`;
    case 'plan-file':
      return `plan ${reference.path} on ${reference.protected ? 'the protected branch' : 'the unprotected branch'} ${reference.branch}`;
  }
}

/** What is missing of an approval, for the limits of a report. Pure. */
export function approvalLimits(results: Pick<Results, 'run' | 'purpose'>): string[] {
  const text = results.run.approval?.state === 'approved' ? null : approvalText(results);
  return text === null ? [] : [`Not approved${text.replace(/^none/, '')}.`];
}
