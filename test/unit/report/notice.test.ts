import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NoticeSuite, noticeBody } from '../../../src/report/notice.ts';
import { slackText } from '../../../src/report/text/escape.ts';

const AGGREGATE = [
  {
    ...{ arm: 'candidate', rate: '91.0% (91/100)', interval: '', overPlanned: '', macro: '' },
    ...{ planned: 100, recorded: 100, valid: 100, succeeded: 91, failed: 9, timedOut: 0, errors: 0 },
    ...{ rejected: 0, cancelled: 0, other: 0, notRun: 0, lost: 0 },
  },
];

const suite = (change: Partial<NoticeSuite>): NoticeSuite => ({
  view: { suite: 'libero_spatial', verdict: 'FAIL', ruling: 'worse', aggregate: AGGREGATE },
  isRelease: false,
  change: null,
  drift: null,
  ...change,
});
const body = (suites: readonly NoticeSuite[], ref = 'tags/v1.0.0'): string | null =>
  noticeBody({
    suites,
    repository: 'acme/robots',
    ref,
    runUrl: 'https://github.com/acme/robots/actions/runs/7',
    reportUrl: null,
  });

describe('a notice', () => {
  it('has a line for the verdict of a release, with rate and change', () => {
    const change = { points: '−6.0 (−12.9 to −0.6)', baseline: 'main' };
    expect(JSON.parse(body([suite({ isRelease: true, change })]) ?? '')).toEqual({
      text: [
        'acme/robots tags/v1.0.0',
        '❌ Release FAIL: libero_spatial 91.0% (91/100), −6.0 (−12.9 to −0.6) points against main: worse',
        '<https://github.com/acme/robots/actions/runs/7>',
      ].join('\n'),
      mrkdwn: false,
      parse: 'none',
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('has a line for a drift, and is none where there is neither', () => {
    expect(body([suite({ drift: 'fell since May' })])).toContain(
      '📉 Drift of libero_spatial: fell since May',
    );
    expect(body([suite({})])).toBeNull();
    expect(body([])).toBeNull();
  });

  it('stays short however many suites there are', () => {
    const lines = JSON.parse(
      body(Array.from({ length: 300 }, () => suite({ isRelease: true }))) ?? '',
    ).text.split('\n');
    expect(lines).toHaveLength(23);
    expect(lines.at(-2)).toBe('and 280 more');
  });

  it('says nothing of others as markup', () => {
    const text = body([suite({ isRelease: true })], '<!channel> *a* [b](http://c) @here `d`') ?? '';
    expect(JSON.parse(text).text.split('\n')[0]).toBe(
      'acme/robots &lt;·channel&gt; ·a· ·b·(http:·//c) ·here ·d·',
    );
  });
});

it('no text is markup, a mention or a link for Slack', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const shown = slackText(text);
      expect(shown).not.toMatch(/[<>*~`@[\]|\\#!\n\r]/);
      expect(shown).not.toMatch(/&(?!amp;|lt;|gt;)/);
      expect(shown).not.toContain('://');
    }),
  );
});
