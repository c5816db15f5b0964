import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertySeed } from '../../../.github/config/property-seed.ts';
import { addTargets } from '../../../src/workspace/add-targets.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { findYamlBlock } from '../../../src/workspace/fenced-block.ts';
import { loadYaml, PyFloat, PyTimestamp, YamlError } from '../../../src/workspace/pyyaml.ts';
import { appendSessions, removeSessions } from '../../../src/workspace/session-edits.ts';
import { scanSessions } from '../../../src/workspace/session-scan.ts';
import { removeTargets } from '../../../src/workspace/target-edits.ts';

/*
 * Our YAML against the runtime's own library, in both directions, on random texts. The seed is printed; set
 * RB_PROPERTY_SEED to repeat a run.
 */
const STRINGS = 5000;
const seed = propertySeed(process.env['RB_PROPERTY_SEED'], Math.random);
const available = spawnSync('python3', ['-c', 'import yaml'], { encoding: 'utf8' });
const why = available.error?.message ?? available.stderr.trim().split('\n').at(-1) ?? '';
const name = `YAML against PyYAML, seed ${seed}${available.status === 0 ? '' : ` (skipped: ${why})`}`;

type Tagged = string | Tagged[] | { map: [Tagged, Tagged][] };

let python: ChildProcessWithoutNullStreams;
let lines: AsyncIterator<string>;

async function ask<T>(request: object): Promise<T> {
  python.stdin.write(`${JSON.stringify(request)}\n`);
  const answer = await lines.next();
  if (answer.done === true) throw new Error('the Python side ended');
  // Our own script on the other side answers in this shape.
  return JSON.parse(answer.value) as T;
}

/** The same tags as the Python side uses. */
function tagged(value: unknown): Tagged {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return `bool ${value}`;
  if (typeof value === 'string') return `str ${value}`;
  if (value instanceof PyTimestamp) return 'time';
  if (value instanceof PyFloat) return `float ${hexFloat(value.value)}`;
  if (typeof value === 'bigint') return `int ${value}`;
  if (typeof value === 'number')
    return Number.isInteger(value) && !Object.is(value, -0) && Number.isSafeInteger(value)
      ? `int ${value}`
      : `float ${hexFloat(value)}`;
  if (Array.isArray(value)) return value.map(tagged);
  if (value instanceof Map) return { map: [...value].map(([key, item]) => [tagged(key), tagged(item)]) };
  return 'other';
}

/** As Python's float.hex. */
function hexFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  const sign = high >>> 31 === 1 ? '-' : '';
  if (exponent === 0 && mantissa === 0n) return `${sign}0x0.0p+0`;
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${mantissa.toString(16).padStart(13, '0')}p${power < 0 ? '' : '+'}${power}`;
}

function readOurs(text: string): Tagged {
  try {
    return tagged(loadYaml(text, { keepTypes: true }));
  } catch (error) {
    if (error instanceof YamlError) return 'refused';
    throw error;
  }
}

/** A small random generator, so that a seed repeats a run. */
function randomFrom(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NUMBERS = [...'0123456789', ...'+-._:eExXob', 'inf', 'nan', 'Z', 'T', ' '];
const MARKS = [
  ...'-:?#,[]{}&*!|>\'"%@`=<~\\ ',
  '\n',
  '\t',
  '\r',
  'a',
  'é',
  '😀',
  '\u2028',
  '\u0085',
  '\u00a0',
  '\ufeff',
  '\u007f',
  '\u0000',
  ': ',
  ' #',
  '- ',
  '---',
  '...',
  '```',
];
const WORDS = [
  'yes',
  'no',
  'on',
  'off',
  'true',
  'False',
  'NULL',
  'null',
  '~',
  'y',
  'N',
  '2026-08-03',
  '2026-1-1',
  '12:30:45',
  '1_000',
  '017',
  '0o17',
  '1e3',
  '4e60',
  '<<',
  '=',
  '.inf',
  '.',
  '._',
  '-0x_',
  '0b',
  '0x1f',
];

function randomTexts(count: number): string[] {
  const random = randomFrom(seed);
  const pick = (from: readonly string[]): string => from[random(from.length)] ?? '';
  return Array.from({ length: count }, () => {
    const kind = random(4);
    if (kind === 0) return pick(WORDS) + (random(3) === 0 ? pick(MARKS) : '');
    const parts = kind === 1 ? NUMBERS : kind === 2 ? MARKS : [...MARKS, ...WORDS, ...NUMBERS];
    return Array.from({ length: random(9) }, () => pick(parts)).join('');
  });
}

/** A text as a value, as an item and as a key. */
function sample(text: string): Map<string, unknown> {
  return new Map<string, unknown>([
    ['k', text],
    ['l', [text]],
    ['m', new Map([[text, 1]])],
  ]);
}

describe.skipIf(available.status !== 0)(name, { timeout: 240_000 }, () => {
  const texts = randomTexts(STRINGS);

  beforeAll(() => {
    python = spawn('python3', [fileURLToPath(new URL('python-yaml.py', import.meta.url))]);
    lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  });
  afterAll(() => {
    python.stdin.end();
  });

  it(`is read by it as what it was, ${STRINGS} texts as value, item and key`, async () => {
    const written = texts.map((text) => dumpYaml(sample(text)).replace(/\n$/, ''));
    const answers = await ask<Tagged[]>({ read: written });
    const wrong = texts.flatMap((text, index) => {
      const expected = tagged(sample(text));
      const same = JSON.stringify(sorted(answers[index])) === JSON.stringify(sorted(expected));
      return same ? [] : [{ text, written: written[index], answer: answers[index] }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('writes what we read back as what it was', async () => {
    const pairs = await ask<[string, Tagged][]>({ write: texts });
    const wrong = pairs.flatMap(([written, theirs], index) => {
      const ours = readOurs(written);
      const same = JSON.stringify(sorted(ours)) === JSON.stringify(sorted(theirs));
      return same ? [] : [{ text: texts[index], written, ours, theirs }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('takes bare words and numbers for the same', async () => {
    const bare = texts.filter((text) => /^[\w.+:~=<-]*$/.test(text)).map((text) => `k: ${text}\n`);
    expect(bare.length).toBeGreaterThan(500);
    const answers = await ask<Tagged[]>({ read: bare });
    const wrong = bare.flatMap((text, index) => {
      const ours = readOurs(text);
      return JSON.stringify(ours) === JSON.stringify(answers[index])
        ? []
        : [{ text, ours, theirs: answers[index] }];
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('writes SESSIONS.md that can be cut without parsing, and edited without a trace', async () => {
    const documents = await ask<{ text: string; sessions: [string, string][] }[]>({
      documents: 300,
      seed,
      texts: texts.slice(0, 500),
    });
    const ours = ['rb-f-1', 'rb-f-2'].map((id) => {
      return {
        session_id: id,
        target_ref: 't',
        skillruntime_ref: 's',
        task_description: texts[id.length] ?? '',
        result: {},
      };
    });
    const edited: string[] = [];
    for (const { text, sessions } of documents) {
      const scan = scanSessions(text);
      if ('problem' in scan) throw new Error(`${scan.problem}\n${text}`);
      expect(scan.slices.map((slice) => [slice.sessionId, slice.status])).toEqual(sessions);
      const added = appendSessions(text, ours);
      expect(added.how).toBe('slices');
      expect(removeSessions(added.text, ['rb-f-1', 'rb-f-2']).text).toBe(text);
      edited.push(bodyOf(text), bodyOf(added.text));
    }
    const answers = await ask<Tagged[]>({ read: edited });
    for (let index = 0; index < documents.length; index += 1) {
      const [before, after] = [sessionsOf(answers[2 * index]), sessionsOf(answers[2 * index + 1])];
      expect(after.slice(0, -2)).toEqual(before);
      expect(after.slice(-2)).toHaveLength(2);
    }
  });

  it('reads every foreign target as before when ours were added', async () => {
    const base = `version: runtime_target_registry_v1\ntargets:\n  # one\n  - id: off_the_shelf # two\n    note: &n 12:30\n    list: [yes, 017, *n]\n  - {id: "x", a: 2026-08-03}\n`;
    const text = `# T\n\n\`\`\`yaml\n${base}\`\`\`\n`;
    const added = addTargets(
      text,
      texts.slice(0, 50).map((note, index) => ({ id: `t--rb-${index}`, config: { note } })),
    );
    const [before, after] = await ask<Tagged[]>({ read: [bodyOf(text), bodyOf(added)] });
    expect(listOf(after, 'targets').slice(0, 2)).toEqual(listOf(before, 'targets'));
    expect(listOf(after, 'targets')).toHaveLength(52);
    expect(
      removeTargets(
        added,
        texts.slice(0, 50).map((_note, index) => `t--rb-${index}`),
      ),
    ).toBe(text);
  });
});

function bodyOf(text: string): string {
  const block = findYamlBlock(text);
  if ('problem' in block) throw new Error(block.problem);
  return block.body;
}

function sessionsOf(document: Tagged | undefined): Tagged[] {
  return listOf(document, 'sessions');
}

function listOf(document: Tagged | undefined, key: string): Tagged[] {
  if (document === undefined || typeof document === 'string' || Array.isArray(document))
    throw new Error('the document is no mapping');
  const list = document.map.find(([name]) => name === `str ${key}`)?.[1];
  if (!Array.isArray(list)) throw new Error(`no list ${key}`);
  return list;
}

/** Objects order keys that look like numbers first, so the order of keys is no difference. */
function sorted(value: Tagged | undefined): Tagged {
  if (value === undefined || typeof value === 'string') return value ?? 'nothing';
  if (Array.isArray(value)) return value.map(sorted);
  return {
    map: value.map
      .map(([key, item]): [Tagged, Tagged] => [key, sorted(item)])
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}
