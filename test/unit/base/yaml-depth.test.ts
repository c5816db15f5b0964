import { describe, expect, it } from 'vitest';
import { parseOperatorRules } from '../../../src/approval/operator-rules.ts';
import { tooDeepLine } from '../../../src/base/yaml-depth.ts';
import { RbError } from '../../../src/errors/rb-error.ts';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { parseHeldOut } from '../../../src/plan/held-out-file.ts';
import { parseTasksFile } from '../../../src/plan/tasks-file.ts';

// The parser would end the whole process with this one.
const DEEP = `suite: x\ntasks: ${'['.repeat(100_000)}`;

function refusal(run: () => unknown): RbError {
  try {
    run();
  } catch (error) {
    if (error instanceof RbError) return error;
    throw error;
  }
  throw new Error('taken');
}

describe('files of a user that nest too deep', () => {
  it('are refused by a limit of their own, each with its own code', () => {
    expect(readConfigFile(DEEP, 'rb.yml').problems).toMatchObject([
      { code: 'RB104', where: 'rb.yml:2', message: 'nests more than 64 levels deep.' },
    ]);
    const refusals = [
      refusal(() => parseTasksFile(DEEP, 'tasks.yml')),
      refusal(() => parseHeldOut(DEEP, 'held.yml')),
      refusal(() => parseOperatorRules(DEEP, 'approval.yml')),
    ];
    for (const { problems } of refusals)
      expect(JSON.stringify(problems)).toContain('more than 64 levels deep');
  });

  it.each([
    ['brackets', `${'['.repeat(65)}`, 1],
    ['brackets over several lines', `a:\n${'{a:\n'.repeat(70)}`, 66],
    ['lists in one line', `a\n${'- '.repeat(65)}b`, 2],
    ['keys in one line', `${'? '.repeat(65)}b`, 1],
    ['indentation', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'), 258],
  ])('%s', (_name, text, line) => {
    expect(tooDeepLine(text)).toBe(line);
  });

  it('lets through what is deep, but can be parsed', () => {
    const block = Array.from({ length: 256 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    for (const text of [block, `a: ${'['.repeat(64)}${']'.repeat(64)}`, 'a: [1, 2]\nb: "[[["\n- c']) {
      expect(tooDeepLine(text)).toBeNull();
      expect(() => readConfigFile(text, 'rb.yml')).not.toThrow();
      expect(JSON.stringify(readConfigFile(text, 'rb.yml').problems)).not.toContain('stack');
    }
  });
});
