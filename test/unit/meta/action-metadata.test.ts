import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import {
  ACTION_INPUTS,
  EVERYDAY_INPUTS,
  INPUT_GROUPS,
  INPUT_NAMES,
  inputRow,
} from '../../../src/inputs/input-table.ts';
import { ROOT } from './source-files.ts';

const COLOURS = ['white', 'black', 'yellow', 'blue', 'green', 'orange', 'red', 'purple', 'gray-dark'];
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
  it('has at most 45 inputs, those of every day first, and no setting', () => {
    const names = Object.keys(metadata.inputs);
    expect(names.length).toBeLessThanOrEqual(45);
    expect(EVERYDAY_INPUTS.length).toBeLessThanOrEqual(12);
    expect(names.slice(0, EVERYDAY_INPUTS.length)).toEqual(EVERYDAY_INPUTS);
    expect(names.toSorted()).toEqual(ACTION_INPUTS.toSorted());
  });

  it('puts every input of the table into one group', () => {
    expect(INPUT_GROUPS.flatMap(([, names]) => names)).toEqual(INPUT_NAMES);
  });

  it('has each with its description and its default in words', () => {
    for (const name of ACTION_INPUTS) {
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
    // It refuses to list what is longer, or has an icon or colour that it does not know.
    expect(metadata.description.length).toBeLessThanOrEqual(125);
    expect(COLOURS).toContain(metadata.branding.color);
    expect(metadata.branding.icon).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(metadata.author.length).toBeGreaterThan(0);
  });
});
