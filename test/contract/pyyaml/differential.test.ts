import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertySeed } from '../../../.github/config/property-seed.ts';
import { readDocument } from '../../../src/pyyaml/read.ts';
import { YamlError } from '../../../src/pyyaml/yaml-error.ts';
import { Chance } from './chance.ts';
import { randomYaml } from './random-yaml.ts';
import { Tagger } from './tagged.ts';

/*
 * Our reader against the runtime's own, on random documents. The seed is printed; RB_PROPERTY_SEED repeats a run, and
 * RB_FUZZ_DOCUMENTS says how many documents it takes.
 */
const DOCUMENTS = Number(process.env['RB_FUZZ_DOCUMENTS'] ?? 4000);
const BATCH = 200;
const seed = propertySeed(process.env['RB_PROPERTY_SEED'], Math.random);
const available = spawnSync('python3', ['-c', 'import yaml'], { encoding: 'utf8' });
const why = available.error?.message ?? available.stderr.trim().split('\n').at(-1) ?? '';
const name = `YAML as PyYAML reads it, seed ${seed}${available.status === 0 ? '' : ` (skipped: ${why})`}`;

interface Refusal {
  readonly refused: string;
  readonly line: number | null;
  readonly column: number | null;
}
type Answer = { readonly value: unknown } | Refusal;

interface Difference {
  readonly text: string;
  readonly ours: Answer;
  readonly theirs: Answer;
}

let python: ChildProcessWithoutNullStreams;
let lines: AsyncIterator<string>;

async function theirAnswers(texts: readonly string[]): Promise<Answer[]> {
  python.stdin.write(`${JSON.stringify(texts)}\n`);
  const answer = await lines.next();
  if (answer.done === true) throw new Error('the Python side ended');
  // Our own script on the other side answers in this shape.
  return JSON.parse(answer.value) as Answer[];
}

function ourAnswer(text: string): Answer {
  try {
    return { value: new Tagger().tagged(readDocument(text, { keepTypes: true }).value) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { refused: error.message, line: error.line, column: error.column };
  }
}

class Comparison {
  readonly takenByUs: Difference[] = [];
  readonly refusedByUs: Difference[] = [];
  readonly otherValues: Difference[] = [];
  readonly otherLines: Difference[] = [];
  readonly otherReasons: Difference[] = [];
  taken = 0;
  refused = 0;

  add(text: string, ours: Answer, theirs: Answer): void {
    const difference = { text, ours, theirs };
    if ('value' in theirs) {
      this.taken += 1;
      if (!('value' in ours)) this.refusedByUs.push(difference);
      else if (JSON.stringify(ours.value) !== JSON.stringify(theirs.value)) this.otherValues.push(difference);
      return;
    }
    this.refused += 1;
    if ('value' in ours) this.takenByUs.push(difference);
    else if (ours.line === null || (theirs.line !== null && ours.line !== theirs.line))
      this.otherLines.push(difference);
    else if (theirs.column !== null && (ours.column !== theirs.column || !isSameReason(ours, theirs)))
      this.otherReasons.push(difference);
  }
}

/** The wording is the peer's, so that it is found in the runtime's log; not where it quotes a codec of Python. */
function isSameReason(ours: Refusal, theirs: Refusal): boolean {
  return ours.refused === theirs.refused || /^failed to|codec can't decode/.test(theirs.refused);
}

describe.skipIf(available.status !== 0)(name, { timeout: 600_000 }, () => {
  const comparison = new Comparison();

  beforeAll(async () => {
    python = spawn('python3', [fileURLToPath(new URL('pyyaml-peer.py', import.meta.url))]);
    lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const version = await lines.next();
    const chance = new Chance(seed);
    for (let done = 0; done < DOCUMENTS; done += BATCH) {
      const texts = chance.many(Math.min(BATCH, DOCUMENTS - done), () => randomYaml(chance));
      const answers = await theirAnswers(texts);
      for (const [index, text] of texts.entries()) {
        const theirs = answers[index];
        if (theirs === undefined) throw new Error('the Python side left out a text');
        comparison.add(text, ourAnswer(text), theirs);
      }
    }
    console.log(
      `PyYAML ${version.value}: seed ${seed}, ${DOCUMENTS} documents, ${comparison.taken} taken, ${comparison.refused} refused; ` +
        `taken only by us ${comparison.takenByUs.length}, refused only by us ${comparison.refusedByUs.length}, ` +
        `other values ${comparison.otherValues.length}, other lines ${comparison.otherLines.length}, other reasons ${comparison.otherReasons.length}`,
    );
  }, 600_000);
  afterAll(() => {
    python.stdin.end();
  });

  it('looks at both kinds of documents', () => {
    expect(comparison.taken).toBeGreaterThan(DOCUMENTS / 4);
    expect(comparison.refused).toBeGreaterThan(DOCUMENTS / 4);
  });
  it('takes nothing that it refuses', () => expect(shortest(comparison.takenByUs)).toEqual([]));
  it('refuses nothing that it takes', () => expect(shortest(comparison.refusedByUs)).toEqual([]));
  it('reads the same values', () => expect(shortest(comparison.otherValues)).toEqual([]));
  it('names the same line', () => expect(shortest(comparison.otherLines)).toEqual([]));
  it('gives the same column and reason', () => expect(shortest(comparison.otherReasons)).toEqual([]));
});

/** The differences that are easiest to look at. */
function shortest(differences: readonly Difference[]): readonly Difference[] {
  return differences.toSorted((a, b) => a.text.length - b.text.length).slice(0, 5);
}
