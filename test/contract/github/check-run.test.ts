import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CheckClosing, CheckRun, conclusionOf } from '../../../src/github/check-run.ts';
import type { CheckAnnotation } from '../../../src/report/check-output.ts';
import { clientFor, REPOSITORY } from './loopback/client-for.ts';
import { FAILURES } from './loopback/faults.ts';
import { LoopbackGitHub } from './loopback/loopback-github.ts';

let github: LoopbackGitHub;
beforeEach(async () => {
  github = await LoopbackGitHub.start();
  github.token('t');
});
afterEach(async () => {
  await github.stop();
  expect(github.violations).toEqual([]);
});

const OPENING = { name: 'benchmark libero_spatial', headSha: 'a'.repeat(40), detailsUrl: null };
const checkFor = (token = 't') => new CheckRun(clientFor(github, token), REPOSITORY, OPENING);
const annotation = (n: number, changes: Partial<CheckAnnotation> = {}): CheckAnnotation => ({
  path: '.github',
  start_line: 1,
  end_line: 1,
  annotation_level: 'failure',
  title: `task ${n}`,
  message: 'regressed',
  ...changes,
});
const closing = (changes: Partial<CheckClosing> = {}): CheckClosing => ({
  conclusion: 'success',
  title: '93.0% PASS',
  summary: 'fine',
  text: null,
  annotations: [],
  ...changes,
});

test('is opened on the commit, then closed, and a second close changes nothing', async () => {
  const check = checkFor();
  await check.open();
  expect(github.checks.checks[0]).toMatchObject({
    status: 'in_progress',
    name: OPENING.name,
    headSha: OPENING.headSha,
  });
  await check.close(closing());
  await check.close(closing({ conclusion: 'failure' }));
  expect(github.checks.checks).toHaveLength(1);
  expect(github.checks.checks[0]).toMatchObject({ status: 'completed', conclusion: 'success' });
  expect(github.seen).toHaveLength(2);
});

test('closes in one request when it was never opened', async () => {
  await checkFor().close(closing({ annotations: [annotation(1)] }));
  expect(github.seen).toHaveLength(1);
  expect(github.checks.checks[0]).toMatchObject({
    conclusion: 'success',
    annotations: [{ title: 'task 1' }],
  });
});

test('is closed when the work ends without a decision, and only if it is open', async () => {
  const check = checkFor();
  await check.abandon('cancelled', 'Cancelled.');
  expect(github.seen).toHaveLength(0);
  await check.open();
  await check.abandon('cancelled', 'Cancelled.');
  expect(github.checks.checks[0]).toMatchObject({ conclusion: 'cancelled', summary: 'Cancelled.' });
});

test.each([49, 50, 51, 120])(
  '%i annotations arrive in chunks GitHub accepts, completed with the last',
  async (count) => {
    const annotations = Array.from({ length: count }, (_, n) => annotation(n));
    await checkFor().close(closing({ annotations }));
    expect(github.checks.checks[0]?.annotations).toHaveLength(Math.min(count, 100));
    expect(github.checks.checks[0]?.status).toBe('completed');
  },
);

test.each([65_534, 65_535, 65_536, 400_000])('summary and text of %i characters fit', async (size) => {
  await checkFor().close(closing({ summary: 'é'.repeat(size), text: `${'line\n'.repeat(size / 5)}` }));
  expect(github.checks.checks[0]?.status).toBe('completed');
});

test('hostile annotation fields fit', async () => {
  const wide = annotation(1, { title: '😀'.repeat(10_000), message: '😀'.repeat(40_000) });
  await checkFor().close(closing({ annotations: [wide], title: 'x\n'.repeat(5_000) }));
  expect(github.checks.checks[0]?.annotations).toHaveLength(1);
});

test('without checks: write the message names it; a passing failure is waited out', async () => {
  github.token('weak', { contents: 'write' });
  await expect(checkFor('weak').open()).rejects.toMatchObject({
    kind: 'permission',
    purpose: { permissions: ['checks: write'] },
  });
  github.faults.add({ operation: 'checks/create', failure: FAILURES.unavailable });
  await checkFor().open();
  expect(github.checks.checks).toHaveLength(1);
});

test('verdicts become conclusions', () => {
  expect(conclusionOf('PASS', 'fail')).toBe('success');
  expect(conclusionOf('FAIL', 'pass')).toBe('failure');
  expect(conclusionOf('INVALID', 'pass')).toBe('failure');
  expect(conclusionOf('INCONCLUSIVE', 'pass')).toBe('neutral');
  expect(conclusionOf('INCONCLUSIVE', 'fail')).toBe('failure');
});
