import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT, RbError } from '../../../src/errors/rb-error.ts';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { parseArgs } from '../../../src/inputs/parse-args.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { parseHeldOut } from '../../../src/plan/held-out-file.ts';
import { ROOT } from '../meta/source-files.ts';
import { type Block, blocksOf, documents } from './markdown.ts';
import { stepProblems, stepsSchema, workflowSchema } from './workflow.ts';

const blocks = documents().flatMap(blocksOf);
const of = (...languages: string[]): readonly Block[] =>
  blocks.filter(({ language }) => languages.includes(language));
const named = (list: readonly Block[]) => list.map((block) => [block.where, block] as const);

const isWorkflow = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'jobs' in value;

describe('yaml blocks of the documents', () => {
  it('are there', () => {
    expect(of('yaml').length).toBeGreaterThan(5);
  });

  it.each(named(of('yaml', 'yml')))(
    '%s is a workflow, steps, a held-out file, a config file or permissions',
    (_where, { text }) => {
      const value: unknown = parse(text);
      if (isWorkflow(value)) {
        const workflow = workflowSchema.parse(value);
        const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
        expect(steps.flatMap(stepProblems)).toEqual([]);
      } else if (Array.isArray(value)) {
        expect(stepsSchema.parse(value).flatMap(stepProblems)).toEqual([]);
      } else if (Object.keys(Object(value)).join() === 'permissions') {
        const scopes = Object(Object(value).permissions);
        expect(Object.values(scopes).every((access) => access === 'read' || access === 'write')).toBe(true);
      } else if ('salt' in Object(value)) {
        expect(parseHeldOut(text, 'held-out file').cells.length).toBeGreaterThan(0);
      } else {
        const config = readConfigFile(text, 'config');
        expect(config.problems).toEqual([]);
        const raw = Object.fromEntries([...config.values].map(([name, given]) => [name, given.text]));
        expect(() => readInputs(raw, undefined, { required: [] })).not.toThrow();
      }
    },
  );
});

/** Commands of a block; a line that ends in a backslash goes on. */
function commandsOf({ text }: Block): readonly string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.split('&&'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Words as a shell would split them, quotes and comments gone; what comes after `||` belongs to the shell. */
function wordsOf(command: string): readonly string[] {
  const [own = ''] = command.split(/ \|\| | # /);
  return [...own.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
    .scripts, // our own file
);

function commandProblem(command: string): string | null {
  const [program, ...words] = wordsOf(command);
  if (program === 'rollout-bench') {
    const parsed = parseArgs(words);
    if (parsed.kind === 'verb') {
      if (parsed.problems.length > 0) throw new RbError(EXIT.usage, parsed.problems);
      readInputs(parsed.raw, undefined, { required: parsed.raw['config'] ? [] : parsed.required });
    }
  }
  if (program === 'npm' && words[0] === 'run' && !scripts.includes(words[1] ?? ''))
    return `no script ${words[1]}`;
  if (program === 'node' && !existsSync(join(ROOT, words[0] ?? ''))) return `no file ${words[0]}`;
  return null;
}

describe('shell blocks of the documents', () => {
  it('are there', () => {
    expect(
      of('sh')
        .flatMap(commandsOf)
        .filter((line) => line.startsWith('rollout-bench')).length,
    ).toBeGreaterThan(5);
  });

  it.each(named(of('sh', 'bash', 'shell', 'console')))('%s can be read by a shell', (_where, { text }) => {
    expect(() => execFileSync('bash', ['-n'], { input: text, stdio: 'pipe' })).not.toThrow();
  });

  it.each(named(of('sh', 'bash', 'shell', 'console')))(
    '%s has commands that exist, with options they take',
    (_where, block) => {
      expect(
        commandsOf(block)
          .map(commandProblem)
          .filter((problem) => problem !== null),
      ).toEqual([]);
    },
  );
});

describe('other blocks of the documents', () => {
  it.each(named(of('json')))('%s is JSON, line by line', (_where, { text }) => {
    for (const line of text.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('have a language that something checks, or none that anybody would copy', () => {
    const checked = ['yaml', 'sh', 'json', 'ini', 'text', 'markdown', 'dockerfile'];
    expect(blocks.filter(({ language }) => !checked.includes(language)).map(({ where }) => where)).toEqual(
      [],
    );
  });
});
