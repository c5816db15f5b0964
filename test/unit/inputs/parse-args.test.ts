import { describe, expect, it } from 'vitest';
import { problemLine } from '../../../src/errors/rb-error.ts';
import { fullHelp, generalHelp, verbHelp } from '../../../src/inputs/help.ts';
import { EVERYDAY_INPUTS, INPUT_NAMES } from '../../../src/inputs/input-table.ts';
import { parseArgs } from '../../../src/inputs/parse-args.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';
import { isVerbName, VERB_SPECS, verbSpec } from '../../../src/inputs/verbs.ts';

const verbs = Object.keys(VERB_SPECS).filter(isVerbName);

describe('parseArgs', () => {
  it('reads options in both spellings, switches and arguments', () => {
    const parsed = parseArgs([
      'collect',
      's1',
      '--workspace',
      'W',
      '--report-dir=out',
      '--json',
      '--',
      '--odd',
    ]);
    expect(parsed).toMatchObject({
      kind: 'verb',
      verb: 'collect',
      raw: { workspace: 'W', 'report-dir': 'out' },
      positional: ['s1', '--odd'],
      json: true,
      required: ['workspace'],
    });
  });

  it.each(verbs)('%s can be quiet, and its help says so', (verb) => {
    const parsed = parseArgs([verb, '--quiet']);
    expect(parsed.kind === 'verb' && parsed.quiet).toBe(true);
    expect(parsed.kind === 'verb' && parsed.problems.filter(({ where }) => where.includes('quiet'))).toEqual(
      [],
    );
    expect(verbHelp(verb)).toContain('  --quiet\n');
  });

  it('keeps the switch of a verb apart from inputs', () => {
    const parsed = parseArgs(['clean', '--workspace', 'W', '--log']);
    expect(parsed.kind === 'verb' && parsed.options.has('log')).toBe(true);
  });

  it.each([
    [['run', '--suit', 'x', '--workspace', 'W'], /RB111 option --suit.*Did you mean --suite/],
    [['verify', 'B', '--workspace', 'W'], /RB111 option --workspace/],
    [['run', '--suite', '--json'], /RB112 option --suite: needs a value/],
    [['run', '--suite=a', '--suite=b'], /RB112 option --suite: is given twice/],
    [['run', '--json=yes'], /RB112 option --json: takes no value/],
    [['verify'], /RB113.*takes 1 bundle/],
    [['run', 'libero_10'], /RB113.*no arguments/],
    [['run', '-x'], /RB111 option --x/],
  ])('refuses %j', (argv, message) => {
    expect(problemsOf(argv)).toMatch(message);
  });

  it('refuses a verb that there is not', () => {
    expect(() => parseArgs(['rnu'])).toThrowError(/RB110.*Did you mean run/);
  });

  it('asks no second time for a required input that was misspelt or left without its value', () => {
    for (const argv of [
      ['run', '--worksapce', 'W'],
      ['run', '--workspace'],
    ])
      expect(parseArgs(argv)).toMatchObject({ required: [] });
    expect(parseArgs(['run', '--suit', 'x'])).toMatchObject({ required: ['workspace'] });
  });

  it('names all problems of a line at once', () => {
    expect(problemsOf(['run', 'extra', '--nope', '1', '--json=1'])).toMatch(/RB111[\s\S]*RB112[\s\S]*RB113/);
  });

  it('finds help and version wherever they are asked for', () => {
    const help = (...argv: readonly string[]) => {
      const parsed = parseArgs(argv);
      return parsed.kind === 'help' ? [parsed.verb, parsed.all] : parsed.kind;
    };
    for (const argv of [[], ['--help'], ['-h'], ['help']]) expect(help(...argv)).toEqual([null, false]);
    for (const argv of [
      ['--help', 'all'],
      ['help', 'all'],
    ])
      expect(help(...argv)).toEqual([null, true]);
    expect(help('help', 'run')).toEqual(['run', false]);
    expect(help('help', 'run', 'all')).toEqual(['run', true]);
    expect(help('run', '--nonsense', '--help')).toEqual(['run', false]);
    expect(help('run', '--help', 'all')).toEqual(['run', true]);
    expect(parseArgs(['--version'])).toEqual({ kind: 'version' });
  });

  it('has examples that its own parser accepts', () => {
    for (const verb of verbs) {
      for (const example of verbSpec(verb).examples) {
        const [program, ...argv] = wordsOf(example);
        expect(program).toBe('rollout-bench');
        const parsed = parseArgs(argv);
        expect(parsed).toMatchObject({ kind: 'verb', verb, problems: [] });
        if (parsed.kind === 'verb') readInputs(parsed.raw, undefined, { required: [] });
      }
    }
  });
});

describe('help', () => {
  it('names every command and every option, and explains the options of every day', () => {
    for (const verb of verbs) {
      expect(generalHelp()).toContain(`  ${verb}`);
      const help = verbHelp(verb);
      for (const name of verbSpec(verb).inputs) expect(help).toMatch(new RegExp(`--${name}\\b`));
      for (const name of Object.keys(verbSpec(verb).options)) expect(help).toContain(`--${name}`);
      const all = verbHelp(verb, true);
      for (const name of verbSpec(verb).inputs) expect(all).toContain(`--${name} <`);
    }
    for (const name of EVERYDAY_INPUTS) expect(generalHelp()).toMatch(new RegExp(`  --${name} +\\w`));
    for (const name of INPUT_NAMES) expect(fullHelp()).toContain(`  --${name} <`);
    expect(verbHelp('run', true)).toContain('Default: 0-9.');
    expect(verbHelp('report', true).replace(/\s+/g, ' ')).toContain('`report` writes none.');
    expect(verbHelp('verify')).toContain(
      'Usage: rollout-bench verify <bundle folder or .tar.gz archive> [options]',
    );
  });

  it('has at most 60 lines, unless all is asked for', () => {
    for (const help of [generalHelp(), ...verbs.map((verb) => verbHelp(verb))])
      expect(help.split('\n').length, help).toBeLessThanOrEqual(60);
  });

  it('fits a terminal, save for long examples', () => {
    const lines = verbs
      .flatMap((verb) => [verbHelp(verb), verbHelp(verb, true), generalHelp(), fullHelp()])
      .flatMap((help) => help.split('\n'))
      .filter((line) => !line.includes('rollout-bench '));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  });
});

function problemsOf(argv: readonly string[]): string {
  const parsed = parseArgs(argv);
  return parsed.kind === 'verb' ? parsed.problems.map(problemLine).join('\n') : '';
}

/** The words of a command line as a shell gives them, quotes taken off. */
function wordsOf(line: string): readonly string[] {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));
}
