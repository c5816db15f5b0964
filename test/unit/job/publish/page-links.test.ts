import { describe, expect, it } from 'vitest';
import { type AssessedSuite, assessSuite } from '../../../../src/job/judge/assess-suite.ts';
import { pagePlaceOf, type ReportPlace } from '../../../../src/job/publish/page-links.ts';
import { planDigest } from '../../../../src/plan/make-plan.ts';
import { runContext } from '../../../../src/platform/run-context.ts';
import { aggregate } from '../../../../src/results/aggregate.ts';
import { makeRunFacts } from '../../results/record-builder.ts';
import { planOf, recordsOf } from '../../verdict/records.ts';

const HEAD = 'a1b2c3d'.padEnd(40, '0');
const ENV = { GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/robots', GITHUB_RUN_ID: '101' };

const place = (facts: Partial<ReportPlace['facts']> = {}, more: Partial<ReportPlace> = {}): ReportPlace => ({
  serverUrl: 'https://github.com',
  context: runContext(ENV, {}),
  facts: {
    branch: 'main',
    onBranch: true,
    baseBranch: 'main',
    measuringRunId: null,
    headCommit: HEAD,
    event: 'push',
    unauthenticated: false,
    pull: null,
    ...facts,
  },
  reportBranch: 'rollout-bench',
  pagesUrl: null,
  artifactId: 42,
  ...more,
});

function suite(isCompared: boolean): AssessedSuite {
  const plan = planOf({ tasks: 2, initStates: 5 });
  const records = recordsOf(plan, () => 'success');
  const run = makeRunFacts();
  const end = { kind: 'complete', reason: null } as const;
  const results = { ...aggregate({ plan, records, run, journal: [] }), end };
  const kept = { stopBaseline: null, heldOut: null };
  const measurement = {
    ...kept,
    plan,
    planDigest: planDigest(plan),
    run,
    records,
    results,
    parts: [],
    invalid: [],
  };
  const baseline = { kind: 'records', name: 'main', records, differing: [] } as const;
  return assessSuite(measurement, isCompared ? { baseline, warnings: [] } : null);
}

const linksOf = (assessed: AssessedSuite, at: ReportPlace) =>
  Object.fromEntries(pagePlaceOf(assessed, at).links.map(({ label, address }) => [label, address]));

describe('the ways out of a page', () => {
  it('lead to run, evidence, commit and history', () => {
    expect(linksOf(suite(false), place())).toEqual({
      'Workflow run': 'https://github.com/acme/robots/actions/runs/101',
      Evidence: 'https://github.com/acme/robots/actions/runs/101/artifacts/42',
      'Commit a1b2c3d': `https://github.com/acme/robots/commit/${HEAD}`,
      History: 'https://github.com/acme/robots/tree/rollout-bench',
    });
  });

  it('lead to the run that measured, the pull request and what it was compared with', () => {
    const pull = { kind: 'number', number: 7, sha: HEAD } as const;
    const facts = { branch: 'pull/7', onBranch: false, pull, measuringRunId: 99, event: 'pull_request' };
    const links = linksOf(
      suite(true),
      place(facts, { artifactId: null, pagesUrl: 'https://acme.github.io/robots/' }),
    );
    expect(links).toMatchObject({
      'Workflow run': 'https://github.com/acme/robots/actions/runs/99',
      Evidence: 'https://github.com/acme/robots/actions/runs/99#artifacts',
      'Pull request #7': 'https://github.com/acme/robots/pull/7',
      History: 'https://acme.github.io/robots/index.html',
      'Latest report of main': 'https://acme.github.io/robots/reports/libero_goal/main/report.html',
    });
  });

  it('lead to a release', () => {
    const facts = { branch: 'tags/v1.0', onBranch: false, event: 'release' };
    expect(linksOf(suite(false), place(facts))['Release v1.0']).toBe(
      'https://github.com/acme/robots/releases/tag/v1.0',
    );
  });
});

describe('a run without anything to be compared with', () => {
  it('becomes the baseline of its branch, and of no other', () => {
    expect(pagePlaceOf(suite(false), place()).accepted).toBe(true);
    expect(pagePlaceOf(suite(true), place()).accepted).toBe(false);
    expect(pagePlaceOf(suite(false), place({ onBranch: false })).accepted).toBe(false);
    expect(pagePlaceOf(suite(false), place({}, { reportBranch: null })).accepted).toBe(false);
  });
});
