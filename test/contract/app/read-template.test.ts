import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTemplate } from '../../../src/job/publish/read-template.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rb-template-'));
  file = join(folder, 'report.mustache');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('readTemplate', () => {
  it('gives the text of a sound template, and nothing without one', async () => {
    writeFileSync(file, '# {{title}}\n');
    expect(await readTemplate({ reportTemplate: file })).toBe('# {{title}}\n');
    expect(await readTemplate({ reportTemplate: null })).toBeNull();
  });

  it.each([
    ['an open section', '{{#arms}}'],
    ['unescaped text', '{{{title}}}'],
    ['unescaped text inside a section', '{{#arms}}{{& title}}{{/arms}}'],
    ['a file that is too large', 'x'.repeat(256 * 1024 + 1)],
  ])('refuses %s', async (_name, text) => {
    writeFileSync(file, text);
    await expect(readTemplate({ reportTemplate: file })).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB510' }],
    });
  });

  it('refuses a file that is not there', async () => {
    await expect(readTemplate({ reportTemplate: file })).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB510', value: file }],
    });
  });
});
