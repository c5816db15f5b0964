import type { Approval } from '../../approval/records.ts';
import { environmentApproval } from '../../github/approval-sources.ts';
import { failureProblem, GitHubFailure } from '../../github/failure.ts';
import { labelContradiction } from '../../github/label-approval.ts';
import { planFileContradiction } from '../../github/plan-file-approval.ts';
import type { Measurement } from '../../results/merge-shards.ts';
import type { Reason } from '../../verdict/verdict.ts';
import type { VerbContext } from '../verb.ts';
import type { Connection } from './connection.ts';
import type { OtherRules } from './rules.ts';

interface Confirmed {
  readonly invalid: readonly Reason[];
  readonly warnings: readonly Reason[];
}

const NOTHING: Confirmed = { invalid: [], warnings: [] };

/**
 * Reads the approvals again that a release names, and takes what contradicts them into the measurement: INVALID then. A
 * bundle can be written by whoever runs code on the host; what people approved stands on GitHub. Without a token
 * nothing is said; what cannot be read is a warning.
 */
export async function withApprovals(
  measurement: Measurement,
  rules: OtherRules,
  { github, verb }: { readonly github: Connection | null; readonly verb: Pick<VerbContext, 'env' | 'log'> },
): Promise<{ readonly measurement: Measurement; readonly rules: OtherRules }> {
  const release = measurement.plan.purpose === 'release';
  const serverUrl = verb.env.GITHUB_SERVER_URL ?? 'https://github.com';
  const said = github === null || !release ? NOTHING : await confirm(measurement, github, serverUrl);
  for (const { text } of said.warnings) verb.log.warning(text);
  return {
    measurement: { ...measurement, invalid: [...measurement.invalid, ...said.invalid] },
    rules: { ...rules, warnings: [...rules.warnings, ...said.warnings] },
  };
}

async function confirm(measurement: Measurement, github: Connection, serverUrl: string): Promise<Confirmed> {
  const runs = measurement.parts.length > 0 ? measurement.parts.map(({ run }) => run) : [measurement.run];
  const named = runs.flatMap(({ approval }) => (approval?.state === 'approved' ? [approval.approval] : []));
  const approvals = new Map(named.map((approval) => [approval.id, approval]));
  const invalid: Reason[] = [];
  const warnings: Reason[] = [];
  for (const approval of approvals.values()) {
    try {
      const why = await contradiction(approval, github, serverUrl);
      if (why !== null) invalid.push({ code: 'not_approved', text: `Not approved: ${why}.` });
    } catch (error) {
      if (!(error instanceof GitHubFailure)) throw error;
      const { message, fix } = failureProblem(error);
      const text = `The approval could not be read again: ${message} ${fix}`;
      warnings.push({ code: 'approval_unconfirmed', text });
    }
  }
  return { invalid, warnings };
}

async function contradiction(
  { repository, reference, binding }: Approval,
  github: Connection,
  serverUrl: string,
): Promise<string | null> {
  const here = `${github.repository.owner}/${github.repository.repo}`;
  if (repository !== here) return `its approval is of ${repository}, not of ${here}`;
  const place = { ...github, serverUrl };
  const { planDigest } = binding;
  if (reference.source === 'label') return labelContradiction(place, reference);
  if (reference.source === 'plan-file') return planFileContradiction(place, reference, planDigest);
  const found = await environmentApproval(place, { ...reference, planDigest });
  if ('refused' in found) return found.refused;
  const now = found.evidence.reference;
  if (now.source === 'environment' && now.ordinal >= reference.ordinal) return null;
  return `the environment ${reference.environment} was approved fewer times than the bundle says`;
}
