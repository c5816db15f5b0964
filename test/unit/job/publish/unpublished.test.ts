import { expect, it } from 'vitest';
import { readInputs } from '../../../../src/inputs/read-inputs.ts';
import { unpublished } from '../../../../src/job/publish/unpublished.ts';

const said = (raw: Readonly<Record<string, string>>) => unpublished(readInputs({ mode: 'report', ...raw }));

it('names what a report without a token does not publish, and what to add', () => {
  expect(said({ check: 'evaluation' })).toMatchObject({
    code: 'RB817',
    severity: 'warning',
    message: expect.stringMatching(/report branch rollout-bench.*check run evaluation.*comment/),
    fix: expect.stringContaining(
      'permissions:\n  contents: write\n  checks: write\n  pull-requests: write\n',
    ),
  });
  expect(said({ check: 'x', comment: 'off', 'report-branch': 'none' })?.message).toContain('check run x');
});

it('says nothing to who wants the job summary alone', () => {
  expect(said({ comment: 'off', 'report-branch': 'none' })).toBeNull();
});
