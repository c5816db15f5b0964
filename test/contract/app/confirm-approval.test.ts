import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealRun } from '../../../src/app/build-bundle.ts';
import { report } from '../../../src/app/report.ts';
import { type ApprovalReference, bind, type RunApproval } from '../../../src/approval/records.ts';
import type { RunFacts } from '../../../src/results/run-facts.ts';
import { decideFromRecords } from '../../../src/verdict/from-records.ts';
import { reasonSchema } from '../../../src/verdict/verdict.ts';
import { planOf, runFactsOf, writeAttempt } from '../bundle/bundle-builder.ts';
import type { Permissions } from '../github/loopback/exchange.ts';
import { EVERY_PERMISSION, LoopbackGitHub } from '../github/loopback/loopback-github.ts';
import { called } from './verb-context.ts';

const HEAD = 'b'.repeat(40);
const PLAN = { ...planOf(7), purpose: 'release' as const };
const ENVIRONMENT = { source: 'environment', runId: 42, environment: 'release', ordinal: 1 } as const;

let github: LoopbackGitHub;
let workspace: string;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  workspace = mkdtempSync(join(tmpdir(), 'rb-confirm-'));
});
afterEach(async () => {
  rmSync(workspace, { recursive: true, force: true });
  await github.stop();
  expect(github.violations).toEqual([]);
});

function approved(reference: ApprovalReference, repository = 'acme/robots'): RunApproval {
  const evidence = {
    repository,
    reference,
    actor: 'ada',
    permission: null,
    at: null,
    url: 'https://x',
    comment: null,
  };
  const pins = { policyRef: null, checkpointDigest: null, imageDigest: null, distHash: null };
  const binding = { planDigest: runFactsOf(PLAN).planDigest, headCommit: HEAD, ...pins };
  return { state: 'approved', approval: bind(evidence, PLAN.suite, binding, '2026-11-29T12:00:00.000Z') };
}

/** Reports on a release of a workflow with this fact in run.json; codes and texts of reasons, and what was warned of. */
async function reported(approval: RunApproval | null, permissions: Permissions = EVERY_PERMISSION) {
  github.token('ghs_t', permissions);
  const bundleDir = join(workspace, 'artifacts', 'rollout-bench', 'r1', 'attempt-1');
  const run: RunFacts = {
    ...runFactsOf(PLAN),
    source: { githubRunId: '42', headCommit: HEAD },
    ...(approval === null ? {} : { approval }),
  };
  writeAttempt(bundleDir, PLAN);
  const decide = decideFromRecords;
  const rest = { template: null, secrets: [], complete: true };
  await sealRun({
    workspace,
    bundleDir,
    plan: PLAN,
    run,
    decide: (plan, records) => decide(plan, records),
    ...rest,
  });
  const event = join(workspace, 'event.json');
  writeFileSync(event, JSON.stringify({ repository: { id: 1, private: true, default_branch: 'main' } }));
  const { verb, log } = await called(['report', bundleDir], {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: github.url,
    GITHUB_EVENT_NAME: 'push',
    GITHUB_EVENT_PATH: event,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REPOSITORY: 'acme/robots',
    GITHUB_RUN_ID: '43',
    GITHUB_SHA: HEAD,
  });
  const outputs = new Map<string, string>();
  await report({
    ...verb,
    inputs: { ...verb.inputs, githubToken: 'ghs_t', comment: false, reportBranch: 'none' },
    action: { setOutput: (name, value) => outputs.set(name, value), saveState: () => undefined },
  });
  const reasons = reasonSchema.array().parse(JSON.parse(outputs.get('reasons') ?? '[]'));
  const texts = reasons.filter(({ code }) => code === 'not_approved').map(({ text }) => text);
  return { verdict: outputs.get('verdict'), texts, log: log.lines.join('\n') };
}

describe('the report of a release', () => {
  it('takes an approval that GitHub still shows', async () => {
    github.approvals.approveRun(42);
    expect((await reported(approved(ENVIRONMENT))).texts).toEqual([]);
    expect(github.count('actions/get-reviews-for-run')).toBe(1);
  });

  it('is INVALID when nobody approved, or the bundle invents it', async () => {
    expect(await reported(null)).toMatchObject({
      verdict: 'INVALID',
      texts: [expect.stringContaining('no approval')],
    });
  });

  it.each<[string, RunApproval, string]>([
    ['that no reviewer gave', approved(ENVIRONMENT), 'no required reviewer'],
    ['of another repository', approved(ENVIRONMENT, 'stranger/robots'), 'stranger/robots'],
    [
      'by a label that nobody set',
      approved({ source: 'label', pullRequest: 12, eventId: 9, label: 'ok' }),
      'does not show',
    ],
  ])('is INVALID with an approval %s', async (_, approval, expected) => {
    const { verdict, texts } = await reported(approval);
    expect(verdict).toBe('INVALID');
    expect(texts).toEqual([expect.stringContaining(expected)]);
  });

  it('is INVALID when a run claims more approvals than there were', async () => {
    github.approvals.approveRun(42);
    const { texts } = await reported(approved({ ...ENVIRONMENT, ordinal: 2 }));
    expect(texts).toEqual([expect.stringContaining('fewer times')]);
  });

  it('warns with the permission to add when the approval cannot be read', async () => {
    const { texts, log } = await reported(approved(ENVIRONMENT), { contents: 'write' });
    expect(texts).toEqual([]);
    expect(log).toContain('The approval could not be read again');
    expect(log).toContain('actions: read');
  });
});
