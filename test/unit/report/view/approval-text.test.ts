import { describe, expect, it } from 'vitest';
import { type ApprovalReference, bind, type RunApproval } from '../../../../src/model/approval.ts';
import type { Results } from '../../../../src/model/results.ts';
import { approvalLimits, approvalText } from '../../../../src/report/view/approval-text.ts';
import { releaseReasons } from '../../../../src/verdict/release.ts';
import { planOf, runFactsOf } from '../../../contract/bundle/bundle-builder.ts';

const HEAD = 'b'.repeat(40);
const PLAN = { ...planOf(7), purpose: 'release' as const };
const RUN = runFactsOf(PLAN);
const FROM_ACTIONS = { githubRunId: '42', headCommit: HEAD };

function approved(
  reference: ApprovalReference,
  change: { planDigest?: string; headCommit?: string } = {},
): RunApproval {
  const pins = { policyRef: null, checkpointDigest: null, imageDigest: null, distHash: null };
  const binding = { planDigest: RUN.planDigest, headCommit: HEAD, ...pins, ...change };
  const evidence = {
    repository: 'acme/robots',
    reference,
    actor: reference.source === 'plan-file' ? null : 'ada',
    permission: null,
    at: reference.source === 'label' ? '2026-11-29T12:00:00Z' : null,
    url: 'https://github.com/acme/robots',
    comment: null,
  };
  return { state: 'approved', approval: bind(evidence, PLAN.suite, binding, '2026-11-29T12:00:01.000Z') };
}
const ENVIRONMENT = { source: 'environment', runId: 42, environment: 'release', ordinal: 1 } as const;
const results = (
  approval: RunApproval | undefined,
  source: Results['run']['source'],
  purpose: Results['purpose'] = 'release',
) => ({
  purpose,
  run: { ...RUN, source, ...(approval === undefined ? {} : { approval }) },
});

describe('what a report says of an approval', () => {
  it.each<[ApprovalReference, string]>([
    [ENVIRONMENT, 'environment release by ada, for one run: https://github.com/acme/robots'],
    [
      { source: 'label', pullRequest: 12, eventId: 9, label: 'ok' },
      'label ok on pull request 12 by ada at 2026-11-29T12:00:00Z, for one run: https://github.com/acme/robots',
    ],
    [
      { source: 'plan-file', path: 'p.json', branch: 'main', commit: HEAD, blob: HEAD, protected: false },
      'plan p.json on the unprotected branch main, for one run: https://github.com/acme/robots',
    ],
  ])('names who and where (%s)', (reference, expected) => {
    const said = results(approved(reference), FROM_ACTIONS);
    expect(approvalText(said)).toBe(expected);
    expect(approvalLimits(said)).toEqual([]);
  });

  it('says when a release has none, and is silent where none is needed', () => {
    expect(approvalLimits(results(undefined, {}))).toEqual(['Not approved: started from the command line.']);
    expect(
      approvalLimits(results({ state: 'waived', why: 'the workflow sets approval: none' }, FROM_ACTIONS)),
    ).toEqual(['Not approved: the workflow sets approval: none.']);
    expect(approvalText(results(undefined, FROM_ACTIONS, 'pr'))).toBeNull();
  });
});

describe('a release', () => {
  const codes = (
    approval: RunApproval | undefined,
    source = FROM_ACTIONS as Results['run']['source'],
  ): string[] => {
    const { run } = results(approval, source);
    return releaseReasons({ plan: PLAN, run, baseline: null })
      .filter(({ code }) => code === 'not_approved')
      .map(({ text }) => text);
  };

  it('of a workflow is invalid without an approval of its plan and commit', () => {
    expect(codes(undefined)).toEqual([expect.stringContaining('took no approval')]);
    expect(codes(approved(ENVIRONMENT, { planDigest: '0'.repeat(64) }))).toEqual([
      expect.stringContaining('another plan'),
    ]);
    expect(codes(approved(ENVIRONMENT, { headCommit: '0'.repeat(40) }))).toEqual([
      expect.stringContaining('another commit'),
    ]);
    expect(codes(approved(ENVIRONMENT))).toEqual([]);
  });

  it('needs none from the command line, or where its workflow says so', () => {
    expect(codes(undefined, {})).toEqual([]);
    expect(codes({ state: 'waived', why: 'the workflow sets approval: none' })).toEqual([]);
  });
});
