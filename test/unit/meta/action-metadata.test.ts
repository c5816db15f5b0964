import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { INPUT_NAMES, inputRow } from '../../../src/inputs/input-table.ts';
import { ROOT } from './source-files.ts';

const described = z.strictObject({
  description: z.string().min(1),
  required: z.literal(false),
  default: z.string().optional(),
});
const metadata = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    author: z.string(),
    branding: z.strictObject({ icon: z.string(), color: z.string() }),
    inputs: z.record(z.string(), described),
    outputs: z.record(z.string(), z.strictObject({ description: z.string().min(1) })).optional(),
    runs: z.strictObject({
      using: z.literal('node24'),
      main: z.string(),
      post: z.string(),
      'post-if': z.literal('always()'),
    }),
  })
  .parse(parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')));

describe('action.yml', () => {
  it('has every input of the table, in its order, with its description and its default in words', () => {
    expect(Object.keys(metadata.inputs)).toEqual(INPUT_NAMES);
    for (const name of INPUT_NAMES) {
      const row = inputRow(name);
      const description = metadata.inputs[name]?.description ?? '';
      expect(description).toContain(row.description);
      expect(description.toLowerCase()).toContain((row.default ?? row.otherwise ?? '').toLowerCase());
      // The runner passes a default as if it had been given, and the config file could never win against it.
      expect(metadata.inputs[name]?.default).toBe(row.actionDefault);
    }
  });

  it('runs files that are in the repository', () => {
    for (const file of [metadata.runs.main, metadata.runs.post])
      expect(existsSync(join(ROOT, file))).toBe(true);
  });

  it('keeps to what the Marketplace shows', () => {
    expect(metadata.name.length).toBeLessThanOrEqual(50);
    expect(metadata.description.length).toBeLessThanOrEqual(300);
  });
});
