import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_EXCEPTIONS } from '../../../src/approval/approvers.ts';
import { type ApprovalQuestion, approvalNeed } from '../../../src/approval/need.ts';
import { parseOperatorRules } from '../../../src/approval/operator-rules.ts';
import { SOURCES } from '../../../src/model/approval.ts';

const question: ApprovalQuestion = {
  purpose: 'pr',
  sessions: 100,
  fork: false,
  inActions: true,
  wish: 'auto',
  operator: null,
};
const needed = (change: Partial<ApprovalQuestion>): boolean =>
  approvalNeed({ ...question, ...change }).needed;
const rules = (text: string) => parseOperatorRules(text, 'approval.yml');

describe('whether a run needs an approval', () => {
  it('leaves ordinary runs alone', () => {
    for (const purpose of ['pr', 'schedule', 'adhoc']) expect(needed({ purpose })).toBe(false);
    expect(needed({ inActions: false, purpose: 'release' })).toBe(false);
  });

  it('asks for one for releases and forks in Actions', () => {
    expect(approvalNeed({ ...question, purpose: 'release' })).toEqual({
      needed: true,
      why: 'its purpose is release',
      sources: [...SOURCES],
    });
    expect(needed({ fork: true })).toBe(true);
  });

  it('lets a release say none, and records it; a fork cannot excuse itself', () => {
    expect(approvalNeed({ ...question, purpose: 'release', wish: 'none' })).toEqual({
      needed: false,
      waived: 'the workflow sets approval: none',
    });
    expect(approvalNeed({ ...question, wish: 'none' })).toEqual({ needed: false, waived: null });
    expect(needed({ fork: true, wish: 'none' })).toBe(true);
  });

  it.each([
    ['purposes: [pr]', {}],
    ['forks: true', { fork: true, inActions: false }],
    ['sessions-above: 99', {}],
  ])('obeys the operator (%s) whatever the workflow says, on the command line too', (text, change) => {
    const operator = rules(text);
    for (const wish of ['auto', 'none', 'label'] as const)
      for (const inActions of [true, false])
        expect(needed({ inActions, wish, operator, ...change })).toBe(true);
  });

  it('does not count what is not above the limit', () => {
    expect(needed({ operator: rules('sessions-above: 100') })).toBe(false);
  });

  it('takes only sources that the operator allows', () => {
    const operator = rules('purposes: [pr]\nsources: [environment]');
    expect(approvalNeed({ ...question, operator })).toMatchObject({ sources: ['environment'] });
    expect(approvalNeed({ ...question, operator, wish: 'label' })).toMatchObject({
      needed: true,
      sources: [],
    });
  });

  it('never needs less with an operator than without', () => {
    const anyQuestion = fc.record({
      purpose: fc.constantFrom('pr', 'release', 'schedule', 'adhoc'),
      sessions: fc.nat(1000),
      fork: fc.boolean(),
      inActions: fc.boolean(),
      wish: fc.constantFrom('auto', 'none', ...SOURCES),
    });
    const anyRules = fc.record({
      purposes: fc.subarray(['pr', 'release', 'schedule', 'adhoc']),
      forks: fc.boolean(),
      sessionsAbove: fc.option(fc.nat(1000)),
      sources: fc.constant(null),
      mayApprove: fc.constant(NO_EXCEPTIONS),
    });
    fc.assert(
      fc.property(anyQuestion, anyRules, (asked, operator) => {
        const without = approvalNeed({ ...asked, operator: null });
        const within = approvalNeed({ ...asked, operator });
        expect(within.needed || !without.needed).toBe(true);
      }),
    );
  });
});

describe("the operator's file", () => {
  it('may be empty', () => {
    expect(rules('# nothing yet\n')).toEqual({
      purposes: [],
      forks: false,
      sessionsAbove: null,
      sources: null,
      mayApprove: { author: [], starter: [], bot: [] },
    });
  });

  it.each([
    'purposes: release',
    'purposes: [releases]',
    'sessions-above: "10"',
    'sources: []',
    'fork: true',
    'forks: yes',
    '- pr',
    'purposes: [pr',
    'may-approve: [ada]',
    'may-approve: { everybody: [ada] }',
    'may-approve: { bot: ["*"] }',
    'may-approve: { author: all }',
    'a: &a [*a]',
  ])('is refused when it says %s', (text) => {
    expect(() => rules(text)).toThrow(/RB376/);
  });

  it('names all that is wrong at once', () => {
    expect(() => rules('purposes: [x]\nforks: 1\nelse: 2')).toThrow(/purposes[\s\S]*forks[\s\S]*else/);
  });
});

describe('docs/approval.md', () => {
  it("shows a file of the operator's that is understood", () => {
    const page = readFileSync(new URL('../../../docs/approval.md', import.meta.url), 'utf8');
    const [, shown = ''] = /```text\n(purposes:[\s\S]*?)```/.exec(page) ?? [];
    expect(rules(shown)).toEqual({
      purposes: ['release', 'pr'],
      forks: true,
      sessionsAbove: 500,
      sources: ['environment'],
      mayApprove: { author: ['ada'], starter: ['ada', 'grace'], bot: ['release-app[bot]'] },
    });
  });
});
