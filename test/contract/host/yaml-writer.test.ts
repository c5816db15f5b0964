import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';

/** Texts with the characters that decide about quoting and folding. */
const texts = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          'word',
          'a',
          '12',
          '1e3',
          'off',
          '-',
          ':',
          '#',
          "'",
          '"',
          '?',
          ',',
          '[',
          '{',
          '%',
          '@',
          '`',
          '&',
          '*',
          '!',
          '|',
          '>',
          '=',
          '<<',
          '~',
          '.',
          '\\',
        ),
      },
      { weight: 4, arbitrary: fc.constantFrom(' ', ' ', '  ') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '\n',
          '\n\n',
          '\t',
          '\r',
          'é',
          '你',
          '😀',
          '\u00a0',
          '\u2028',
          '\x85',
          '\ufeff',
          '\x07',
        ),
      },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const PEER = `
import json, sys, yaml
for line in sys.stdin:
    print(json.dumps(yaml.safe_dump(json.loads(line), sort_keys=False, allow_unicode=True)))
`;

describe("the layout of the runtime's YAML library", () => {
  it('is reproduced byte for byte', () => {
    const documents = fc.sample(
      fc.record({
        a: texts,
        b: fc.array(fc.record({ c: texts, d: fc.array(texts, { maxLength: 2 }) }), { maxLength: 2 }),
      }),
      { numRuns: 1500, seed: 20 },
    );
    const peer = spawnSync('python3', ['-c', PEER], {
      input: documents.map((document) => JSON.stringify(document)).join('\n'),
      encoding: 'utf8',
      maxBuffer: 64_000_000,
    });
    expect(peer.stderr).toBe('');
    const expected = peer.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(documents.map((document) => writeRuntimeYaml(document))).toEqual(expected);
  });
});
