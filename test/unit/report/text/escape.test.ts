import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  csvField,
  htmlText,
  markdownCode,
  markdownText,
  plainLine,
  xmlText,
} from '../../../../src/report/text/escape.ts';
import { HOSTILE_NAMES, hostileText } from '../hostile.ts';

const decoded = (text: string): string =>
  text.replaceAll('<!-- -->', '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

describe('plainLine', () => {
  it('is one line of visible, whole characters, at most the limit and its mark', () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const line = plainLine(text, limit);
        expect(line).not.toMatch(/[\r\n\u2028\u2029]|\p{Cc}|\p{Bidi_Control}/u);
        expect(line.length).toBeLessThanOrEqual(limit + 1);
        expect(Buffer.from(line, 'utf8').toString('utf8')).toBe(line);
      }),
    );
  });
});

describe('markdownText', () => {
  it('leaves nothing that Markdown or GitHub would act on, and nothing is lost', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const escaped = markdownText(text);
        const bare = escaped.replaceAll('<!-- -->', '').replace(/&#\d+;/g, '');
        expect(bare).not.toMatch(/[\n|`*<>[\]{}\\~"$^&]/);
        expect(bare).not.toMatch(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/);
        expect(escaped).not.toMatch(/@(?!<!-- -->)/);
        expect(escaped).not.toMatch(/(?<!&)#\d/);
        expect(escaped).not.toMatch(/:\/\//);
        expect(escaped.replace(/&#\d+;/g, ' ')).not.toMatch(/\b[0-9a-f]{7,40}\b/i);
        expect(decoded(escaped)).toBe(plainLine(text));
      }),
    );
  });

  it('keeps ordinary names legible', () => {
    expect(markdownText('pick up the black bowl_2 (left), step 3')).toBe(
      'pick up the black bowl_2 (left), step 3',
    );
    expect(markdownText('libero_spatial')).toBe('libero_spatial');
  });

  it.each(['- item', '# title', '1. one', '+ x', '---', '1) x'])(
    'starts no list, title or rule: %s',
    (text) => {
      expect(markdownText(text)).not.toMatch(/^\s*([-+#=]|\d+[.)])/);
    },
  );
});

describe('markdownCode', () => {
  it('is one code span whose fence is longer than any run inside, with no open bar', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const code = markdownCode(text);
        if (code === '–') return;
        const fence = /^`+/.exec(code)?.[0] ?? '';
        expect(code.endsWith(fence)).toBe(true);
        const inside = code.slice(fence.length, -fence.length);
        expect((inside.match(/`+/g) ?? []).every((run) => run.length < fence.length)).toBe(true);
        expect(code).not.toMatch(/(?<!\\)\||\n/);
      }),
    );
  });

  it('shows ids as they are', () => {
    expect(markdownCode('rb-x-t03-i007')).toBe('`rb-x-t03-i007`');
    expect(markdownCode('')).toBe('–');
  });
});

describe('htmlText and xmlText', () => {
  it('hold no markup and give the text back', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(htmlText(text)).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
        expect(xmlText(text)).not.toMatch(/[<>"']|&(?!#\d+;)|[\ufffe\uffff]/);
        // No character that XML 1.0 forbids, not even as half a pair.
        expect(xmlText(text)).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cs}/u);
        expect(decoded(htmlText(text))).toBe(plainLine(text, 10_000));
      }),
    );
  });
});

describe('csvField', () => {
  it('starts no formula and survives a reader', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const field = csvField(text);
        const value = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
        expect(value).not.toMatch(/^[=+\-@|%\t\r]/);
        if (!field.startsWith('"')) expect(field).not.toMatch(/[",\r\n]/);
      }),
    );
  });

  it('keeps numbers numbers and unknown empty', () => {
    expect([csvField(-1.5), csvField(null), csvField(true), csvField('=1')]).toEqual([
      '-1.5',
      '',
      'true',
      "'=1",
    ]);
  });

  it('covers every listed name', () => {
    for (const name of HOSTILE_NAMES) expect(csvField(name).split('\n').length).toBeGreaterThan(0);
  });
});
