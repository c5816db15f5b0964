import { describe, expect, it } from 'vitest';
import { problemLine } from '../../../src/errors/rb-error.ts';
import { generalHelp, verbHelp } from '../../../src/inputs/help.ts';
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
    expect(parseArgs([])).toEqual({ kind: 'help', verb: null });
    expect(parseArgs(['--help'])).toEqual({ kind: 'help', verb: null });
    expect(parseArgs(['help', 'run'])).toEqual({ kind: 'help', verb: 'run' });
    expect(parseArgs(['run', '--nonsense', '--help'])).toEqual({ kind: 'help', verb: 'run' });
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
  it('lists every command, and for each every option with its default', () => {
    for (const verb of verbs) {
      expect(generalHelp()).toContain(`  ${verb}`);
      const help = verbHelp(verb);
      for (const name of verbSpec(verb).inputs) expect(help).toContain(`--${name} <`);
      expect(help).toContain('--json');
    }
    expect(verbHelp('run')).toContain('Default: 0-9.');
    expect(verbHelp('report').replace(/\s+/g, ' ')).toContain('`report` writes none.');
    expect(verbHelp('verify')).toContain(
      'Usage: rollout-bench verify <bundle folder or .tar.gz archive> [options]',
    );
  });

  it('fits a terminal, save for long examples', () => {
    const lines = verbs
      .flatMap((verb) => verbHelp(verb).split('\n'))
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
