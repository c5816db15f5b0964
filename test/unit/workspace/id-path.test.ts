import * as path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { idProblems, pathOfId } from '../../../src/workspace/id-path.ts';

const part = fc.constantFrom('..', '.', '', 'a', 'b c', '…', '\\', '\0', 'x'.repeat(300));

describe('pathOfId', () => {
  it('gives a place below the folder or refuses, whatever the id is', () => {
    const ids = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/')),
      fc.string(),
    );
    fc.assert(
      fc.property(ids, (id) => {
        let place: string;
        try {
          place = pathOfId('/srv/raw', id);
        } catch (error) {
          expect(error).toBeInstanceOf(RbError);
          expect(error).toMatchObject({ exitCode: 3, problems: [{ code: 'RB524' }] });
          return;
        }
        expect(path.relative('/srv/raw', place)).toBe(id);
        expect(path.relative('/srv/raw', place)).not.toMatch(/^(?:\.\.(?:\/|$)|\/|$)/);
      }),
      { numRuns: 500 },
    );
  });

  it('takes ids as they are otherwise', () => {
    expect(pathOfId('/srv/raw', 'a b…')).toBe('/srv/raw/a b…');
  });
});

it('names some of many odd ids in one problem', () => {
  expect(idProblems(['a', 'b'], 'SESSIONS.md')).toEqual([]);
  const [problem, ...rest] = idProblems(
    Array.from({ length: 9 }, (_, at) => `../${at}`),
    'SESSIONS.md',
  );
  expect(rest).toEqual([]);
  expect(problem?.message).toMatch(/^9 session ids/);
  expect(problem?.value).toMatch(/"\.\.\/4" and 4 more$/);
});
