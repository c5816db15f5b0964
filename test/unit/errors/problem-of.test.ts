import { describe, expect, it } from 'vitest';
import type { CatalogueEntry } from '../../../src/errors/catalogue/entry.ts';
import { ERROR_CATALOGUE } from '../../../src/errors/catalogue/index.ts';
import { EXIT, errorOf, problemLine, problemOf } from '../../../src/errors/rb-error.ts';
import { sourceFiles } from '../meta/source-files.ts';

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(ERROR_CATALOGUE);

describe('a problem', () => {
  it('takes severity and cure from the catalogue, and the facts from where it is found', () => {
    const facts = { where: 'input seed', message: 'the seed changes nothing.', value: '7' };
    const problem = problemOf('RB313', facts);
    expect(problem).toEqual({ code: 'RB313', ...facts, fix: ERROR_CATALOGUE.RB313.fix, severity: 'fatal' });
    expect(problemLine(problem)).toBe(
      `RB313 input seed: the seed changes nothing. (got 7) Fix: ${ERROR_CATALOGUE.RB313.fix}`,
    );
  });

  it('is a warning where the catalogue says so, with a cure of its own where no sentence fits every case', () => {
    const problem = problemOf('RB361', {
      where: 'input init-states',
      message: 'too many.',
      fix: 'Give 0-9.',
    });
    expect(problem).toMatchObject({ fix: 'Give 0-9.', severity: 'warning' });
  });

  it('ends a job with the exit code of the catalogue', () => {
    const cause = new Error('damaged');
    const error = errorOf('RB408', { where: 'ledger.jsonl', message: 'damaged.' }, { cause });
    expect(error.exitCode).toBe(EXIT.refused);
    expect(error.problems).toHaveLength(1);
    expect(error.cause).toBe(cause);
  });
});

describe('the catalogue', () => {
  it('has sentences for users: a title without a stop, a cure with one', () => {
    expect(entries.filter(([, { title }]) => title.endsWith('.')).map(([code]) => code)).toEqual([]);
    const cures = entries.flatMap(([code, { fix }]) => (fix === undefined ? [] : [{ code, fix }]));
    expect(cures.length).toBeGreaterThan(50);
    expect(cures.filter(({ fix }) => !/^[A-Z`].*[.`?]$/.test(fix)).map(({ code }) => code)).toEqual([]);
  });

  it('gives no exit code to what only warns', () => {
    expect(entries.filter(([, { severity, exit }]) => severity === 'warning' && exit !== undefined)).toEqual(
      [],
    );
  });

  it('alone has the cure of a code that it gives one', () => {
    const written = sourceFiles()
      .filter(({ path }) => !path.startsWith('errors/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\bcode: '(RB\d{3})'/g)].map(([, code = '']) => `${path} ${code}`),
      );
    const cured = new Set(entries.filter(([, { fix }]) => fix !== undefined).map(([code]) => code));
    expect(written.filter((place) => cured.has(place.split(' ')[1] ?? ''))).toEqual([]);
  });
});
