import { describe, expect, it } from 'vitest';
import { type Problem, problemLine, RbError } from '../../../src/errors/rb-error.ts';
import { readConfigFile } from '../../../src/inputs/config-file.ts';
import { isInputName } from '../../../src/inputs/input-table.ts';
import { parseArgs } from '../../../src/inputs/parse-args.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';

/** Every name that an earlier version knew and this one does not, with what is to be written instead. */
const OLD: readonly (readonly [name: string, value: string, line: string | null])[] = [
  ['replan-every-steps', '5', null],
  ['action-chunk-mode', 'chunk_buffer', null],
  ['checkpoint-digest', `sha256:${'a'.repeat(64)}`, `digests: checkpoint=sha256:${'a'.repeat(64)}`],
  ['image-digest', `sha256:${'b'.repeat(64)}`, `digests: image=sha256:${'b'.repeat(64)}`],
  ['max-sessions', '120', 'caps: sessions=120'],
  ['max-wall-time', '6h', 'caps: wall-time=6h'],
  ['max-artifact-size', '2GB', 'caps: artifact-size=2GB'],
  ['approval-environment', 'release', 'approval: environment=release'],
  ['approval-label', 'benchmark-ok', 'approval: label=benchmark-ok'],
  ['approved-plan', 'benchmark/plan.json', 'approval: plan-file=benchmark/plan.json'],
  ['aa-test', 'true', 'baseline: same'],
  ['aa-test', 'false', 'baseline: auto'],
];

function problemsOf(read: () => unknown): readonly Problem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof RbError) return error.problems;
    throw error;
  }
}

describe.each(OLD)('the old name %s', (name, value, line) => {
  it('is refused wherever it is given, with what to write there', () => {
    expect(isInputName(name)).toBe(false);
    const step = problemsOf(() => readInputs({ workspace: '/w', [name]: value }, undefined, { step: true }));
    const file = problemsOf(() =>
      readInputs({ workspace: '/w' }, readConfigFile(`${name}: ${value}\n`, 'c.yml')),
    );
    const part = `presets:\n  pr:\n    ${name}: ${value}\n`;
    const preset = problemsOf(() => readInputs({ workspace: '/w' }, readConfigFile(part, 'c.yml')));
    const parsed = parseArgs(['run', '--workspace', '/w', `--${name}`, value]);
    const option = parsed.kind === 'verb' ? parsed.problems : [];
    for (const problems of [step, file, preset, option])
      expect(problems.map(({ code }) => code)).toEqual(['RB115']);
    expect([...step, ...file, ...preset, ...option].map(({ where }) => where)).toEqual([
      `input ${name}`,
      `c.yml:1:1 ${name}`,
      `c.yml:3:5 ${name}`,
      `option --${name}`,
    ]);
    const said = [...step, ...file, ...preset].map(problemLine).join('\n');
    if (line === null) expect(said).toMatch(/is gone: no runtime ever acted on it/);
    else {
      expect(said.split(`Write ${line}; a comma`)).toHaveLength(4);
      expect(problemLine(option[0] as Problem)).toContain(`Write --${line.replace(': ', ' ')}; a comma`);
      const [now = '', ...rest] = line.split(': ');
      const baseline = now === 'baseline' ? { 'baseline-endpoint': 'openpi://127.0.0.1:1' } : {};
      expect(problemsOf(() => readInputs({ workspace: '/w', ...baseline, [now]: rest.join(': ') }))).toEqual(
        [],
      );
    }
  });
});

describe('an input of parts', () => {
  const read = (raw: Record<string, string>, config = '') =>
    readInputs({ workspace: '/w', ...raw }, readConfigFile(config, 'c.yml'));

  it('takes them in a text, a list or a map', () => {
    const caps = { maxSessions: 120, maxWallTimeS: 21_600, maxArtifactBytes: 2e9 };
    expect(read({ caps: 'sessions=120, wall-time=6h,artifact-size=2GB' }).caps).toEqual(caps);
    expect(read({}, 'caps:\n  sessions: 120\n  wall-time: 6h\n  artifact-size: 2GB\n').caps).toEqual(caps);
    expect(read({}, 'caps: [sessions=120, wall-time = 6h]\n').caps).toEqual({
      maxSessions: 120,
      maxWallTimeS: 21_600,
    });
    expect(read({}).caps).toBeNull();
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(read({}, `digests: {image: "${digest}"}\n`).digests).toEqual({ checkpoint: null, image: digest });
    expect(read({}).digests).toEqual({ checkpoint: null, image: null });
  });

  it.each([
    ['caps', '120', 'must have parts of the form sessions=…, wall-time=…, artifact-size=….'],
    ['caps', 'sessions=1, sessions=2', 'gives sessions twice.'],
    ['caps', 'sessions=x', 'has a wrong sessions: it must be an integer from 1 to 1000000.'],
    ['caps', 'constructor=1', 'must have parts of the form'],
    ['digests', 'checkpoint=abc', 'has a wrong checkpoint: it must be an algorithm'],
    ['digests', ',', 'must have parts of the form checkpoint=…, image=….'],
  ])('refuses %s: %s', (name, value, why) => {
    const [problem, ...others] = problemsOf(() => read({ [name]: value }));
    expect(others).toEqual([]);
    expect(problem?.code).toBe('RB102');
    expect(problem?.message).toContain(why);
  });

  it('refuses a map of anything but scalars', () => {
    expect(problemsOf(() => read({}, 'caps: {sessions: [1]}\n'))).toMatchObject([{ code: 'RB106' }]);
    expect(problemsOf(() => read({}, 'suite: {sessions: 1}\n'))).toMatchObject([{ code: 'RB106' }]);
  });
});

describe('the input approval', () => {
  const LABEL = 'rollout-bench-approved';
  const read = (approval: string) => readInputs({ workspace: '/w', approval }).approval;

  it.each([
    ['auto', { wish: 'auto', environment: null, label: LABEL, planFile: null }],
    ['none', { wish: 'none' }],
    ['environment', { wish: 'environment', environment: null }],
    ['environment=release', { wish: 'environment', environment: 'release' }],
    ['label', { wish: 'label', label: LABEL }],
    ['label=ok', { wish: 'label', label: 'ok' }],
    ['plan-file=b/plan.json', { wish: 'plan-file', planFile: 'b/plan.json' }],
    [
      'label=ok, auto, plan-file=b.json',
      { wish: 'auto', label: 'ok', planFile: 'b.json', environment: null },
    ],
  ])('reads %s', (text, expected) => expect(read(text)).toMatchObject(expected));

  it.each(
    [
      '',
      'maybe',
      'auto=x',
      'label=a, label=b',
      'label, environment',
      'auto, label',
      'plan-file',
      'plan-file=../x',
      'plan-file=/x',
      'none=1',
    ].filter((text) => text !== ''),
  )('refuses %s', (text) => expect(problemsOf(() => read(text))).toMatchObject([{ code: 'RB102' }]));
});
