import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stableJson } from '../../../src/base/stable-json.ts';
import { checkAttempt } from '../../../src/bundle/check-attempt.ts';
import { planOf, writeAttempt } from './bundle-builder.ts';

const PLAN = planOf(3);
const SESSION = 'raw/rb-r1-t00-i001-r0-candidate-a0';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rb-attempt-'));
  writeAttempt(dir, PLAN);
  writeFileSync(join(dir, 'plan.json'), stableJson(PLAN));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('finds nothing in an attempt as a crash may have left it', async () => {
  appendFileSync(join(dir, 'journal.jsonl'), '{"seq": 9, "at"');
  expect(await checkAttempt(dir)).toEqual([]);
});

it('finds evidence that is not what was archived, and what is gone', async () => {
  writeFileSync(join(dir, SESSION, 'log.yaml'), 'success: true\n');
  rmSync(join(dir, SESSION, 'episode.json'));
  expect((await checkAttempt(dir)).map(({ kind, path }) => [kind, path])).toEqual([
    ['changed', `${SESSION}/episode.json`],
    ['changed', `${SESSION}/log.yaml`],
  ]);
});

it('finds a journal whose lines were exchanged', async () => {
  const file = join(dir, 'journal.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [...lines.slice(0, 3), ...lines.slice(4)].join('\n'));
  expect(await checkAttempt(dir)).toContainEqual(expect.objectContaining({ kind: 'journal' }));
});

it('finds evidence that the end of the journal told of before it was cut off', async () => {
  const file = join(dir, 'journal.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const firstIntent = lines.findIndex((line) => line.includes('"type":"intent"'));
  writeFileSync(file, `${lines.slice(0, firstIntent + 1).join('\n')}\n`);
  const found = await checkAttempt(dir);
  expect(found).toHaveLength(2);
  expect(found).toContainEqual(
    expect.objectContaining({ kind: 'journal', path: expect.stringMatching(/^raw\//) }),
  );
});
