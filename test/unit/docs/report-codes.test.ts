import { describe, expect, it } from 'vitest';
import { outcomeSchema } from '../../../src/model/episode-record.ts';
import { codeOf } from '../../../src/results/error-codes.ts';
import { sourceFiles } from '../meta/source-files.ts';
import { documents } from './markdown.ts';

const page = documents().find(({ path }) => path === 'docs/report-codes.md')?.text ?? '';
const documented = new Set([...page.matchAll(/`([A-Za-z_]+)`/g)].map(([, code]) => code));

const JUDGES = /^(?:verdict|results|outcome|history|model|job)\//;
/** A reason is made with its code in quotes. */
const REASON = /\b(?:code: (?:\w+ \? '\w+' : )?|code: \w+ \? |list\()'([a-z]+(?:_[a-z]+)*)'/g;
const SESSION_CODE = /'((?:SESSION|TARGET|POLICY|RUNTIME|EXECUTION|MAX|SCHEMA)_[A-Z_]+[A-Z]|ADAPTER)'/g;

function found(pattern: RegExp, folders: RegExp): string[] {
  const texts = sourceFiles().filter(({ path }) => folders.test(path));
  return [...new Set(texts.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, code = '']) => code)))];
}

describe('the page of codes in a report', () => {
  it('has every code of a session, ours and those that the embedded runtime gives', () => {
    const codes = found(SESSION_CODE, /^(?:outcome|host|queue)\//);
    expect(codes).toContain('SESSION_NOT_SETTLED');
    expect(codes.filter((code) => !documented.has(code))).toEqual([]);
  });

  it('has what stands for a code where the runtime gives none', () => {
    const codes = outcomeSchema.options.map((outcome) => codeOf({ outcome, errorCode: null }));
    expect(codes.filter((code) => code !== null && !documented.has(code))).toEqual([]);
  });

  it('has every reason and warning of a verdict', () => {
    const codes = found(REASON, JUDGES);
    expect(codes.length).toBeGreaterThan(50);
    expect(codes.filter((code) => !documented.has(code))).toEqual([]);
  });
});
