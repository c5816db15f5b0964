import { describe, expect, it } from 'vitest';
import { policyDotsSvg } from '../../../src/report/charts/policy-dots.ts';
import { policiesPage } from '../../../src/report/page/policies-page.ts';
import { comparisonSchema } from '../../../src/report/policies/document.ts';
import {
  comparisonMarkdown,
  comparisonTerminal,
  pairsCsv,
  policiesCsv,
} from '../../../src/report/policies/tables.ts';
import { leadText, lettersText } from '../../../src/report/policies/words.ts';
import { HOSTILE_NAMES } from './hostile.ts';
import { comparisonOf } from './policies-builder.ts';

const usual = comparisonOf(['pi05', 'pi0', 'smolvla', 'octo']);
const many = comparisonOf(Array.from({ length: 50 }, (_, at) => `policy-${at}`));

describe('a comparison of policies', () => {
  it('is a document of its schema', () => {
    expect(comparisonSchema.parse(usual)).toEqual(usual);
    expect(comparisonSchema.parse(many).pairs).toHaveLength(1225);
  });

  it('says in the first sentence who is ahead and how many cannot be told from it', () => {
    const near = usual.pairs.map((pair) => ({ ...pair, different: pair.second !== 1 }));
    expect(leadText({ ...usual, pairs: near })).toMatch(
      /^pi05 has the highest rate, \d\d\.\d%; 1 of 3 others cannot be told from it\.$/,
    );
    const alone = { ...usual, pairs: usual.pairs.map((pair) => ({ ...pair, different: true })) };
    expect(leadText(alone)).toContain('is better than every other policy here');
    const none = { ...usual, pairs: usual.pairs.map((pair) => ({ ...pair, different: false })) };
    expect(leadText(none)).toContain('but no other policy can be told from it');
    expect(leadText(comparisonOf(['pi05']))).toMatch(/^pi05 is the only policy here, with \d\d\.\d%\.$/);
    expect(policiesPage(comparisonOf(['pi05']))).not.toContain('pairs');
    const unknown = { ...usual, policies: usual.policies.map((each) => ({ ...each, rate: null })) };
    expect(leadText(unknown)).toBe('No policy has a valid episode.');
  });

  it('lists all pairs of few policies, and neighbours of many with a word about the rest', () => {
    const rows = (text: string): number => text.split('## Pairs')[1]?.match(/^\| (?!Pair)/gm)?.length ?? 0;
    expect(rows(comparisonMarkdown(usual, null))).toBe(6);
    expect(rows(comparisonMarkdown(many, null))).toBe(49);
    expect(comparisonMarkdown(many, null)).toContain('all 1225 pairs are in pairs.csv');
    expect(pairsCsv(many).split('\r\n')).toHaveLength(1227);
  });

  it('shows letters apart where they have more than one character, and a dash where there are none', () => {
    const [first] = usual.policies;
    if (first === undefined) throw new Error('no policy');
    expect(lettersText({ ...first, groups: ['a', 'b'] })).toBe('ab');
    expect(lettersText({ ...first, groups: ['a', 'b1'] })).toBe('a b1');
    expect(lettersText({ ...first, groups: null })).toBe('–');
  });

  it('never lets a name become markup, a formula or a line of its own', () => {
    const hostile = comparisonOf(HOSTILE_NAMES.filter((name) => name.trim() !== '').slice(0, 15));
    for (const text of [policiesPage(hostile), policyDotsSvg(hostile), comparisonMarkdown(hostile, 'p.svg')])
      expect(text).not.toMatch(/<script>alert|<img src=x|<\/td><\/tr><\/table><img/);
    const table = comparisonMarkdown(hostile, null).split('## Pairs')[0] ?? '';
    const widths = table
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split(' | ').length);
    expect(new Set(widths)).toEqual(new Set([6]));
    expect(policiesCsv(hostile)).not.toMatch(/(^|,|")[=+@]/m);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
    expect(comparisonTerminal(hostile)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});
