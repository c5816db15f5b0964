import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../src/base/shell-word.ts';
import { commandLine } from '../../../src/inputs/command-line.ts';
import { readInputs } from '../../../src/inputs/read-inputs.ts';

const absolute = (path: string): string => (path.startsWith('/') ? path : `/here/${path}`);

describe('a command line', () => {
  it('has what was given and the verb takes, with paths that mean the same everywhere', () => {
    const raw = { workspace: 'w s', suite: 'a,b', 'heldout-file': 'x.yml, /y.yml', 'github-token': 'ghs_1' };
    const inputs = readInputs({ ...raw, 'policy-ref': "it's" });
    expect(inputs.given).not.toHaveProperty('github-token');
    const text = commandLine({ verb: 'run', inputs, change: { suite: 'a', resume: 'r1' }, absolute });
    expect(text.startsWith("rollout-bench run --workspace '/here/w s' --suite a ")).toBe(true);
    for (const part of ['--heldout-file /here/x.yml,/y.yml', "--policy-ref 'it'\\''s'", '--resume r1'])
      expect(text).toContain(part);
    expect(commandLine({ verb: 'status', inputs, absolute })).toBe(
      "rollout-bench status --workspace '/here/w s'",
    );
  });

  it('has words that a shell gives back as they were', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const script = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
        const said = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
        expect(said.split('\0').slice(0, -1)).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });
});
