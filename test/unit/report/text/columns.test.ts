import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, TERMINAL_COLUMNS, terminalTable } from '../../../../src/report/text/columns.ts';

describe('a table on a terminal', () => {
  it('is as wide as its texts where that fits', () => {
    expect(
      terminalTable(
        [
          ['task', 'language', 'success'],
          ['0', 'lift the cube', '90.0% (9/10)'],
        ],
        [1],
      ),
    ).toEqual(['task  language       success', '0     lift the cube  90.0% (9/10)']);
  });

  it('cuts what may be cut, and nothing else', () => {
    const long = 'pick up the black bowl between the plate and the ramekin and place it on the plate';
    const [, line = ''] = terminalTable(
      [
        ['task', 'language', 'success', '95 %', ''],
        ['12', long, '100.0% (500/500)', '99.2–100.0', '12 not valid'],
      ],
      [1],
    );
    expect(line).toHaveLength(TERMINAL_COLUMNS);
    expect(line).toMatch(/^12 {4}pick up the .*… {2}100\.0% \(500\/500\) {2}99\.2–100\.0 {2}12 not valid$/);
  });

  it('fits 80 columns whatever the texts are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.constantFrom('拿起黑色的碗', 'naïve 🤖'),
    );
    const plain = text.map((value) => value.replace(/\p{C}/gu, ''));
    const row = fc.tuple(fc.constant('12'), plain, fc.constant('100.0% (500/500)'), plain);
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        for (const line of terminalTable(rows, [1, 3]))
          expect(columnsOf(line)).toBeLessThanOrEqual(TERMINAL_COLUMNS);
      }),
    );
  });
});
