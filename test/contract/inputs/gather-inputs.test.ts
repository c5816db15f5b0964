import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatherInputs, inputsOfLine } from '../../../src/app/gather-inputs.ts';
import { parseArgs } from '../../../src/inputs/parse-args.ts';
import { DEFAULT_CONFIG } from '../../../src/inputs/read-inputs.ts';
import { makeReportFolder } from '../../../src/job/report-folder.ts';

describe('a config file that is none', () => {
  it('is refused at once: a folder, a pipe nobody writes to, an endless device', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rb-config-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const config of [folder, pipe, '/dev/zero']) {
      await expect(gatherInputs({ workspace: '/w', config })).rejects.toMatchObject({
        exitCode: 2,
        problems: [{ code: 'RB104', value: JSON.stringify(config) }],
      });
    }
    rmSync(folder, { recursive: true });
  });
});

describe('the config file at its usual place', () => {
  const here = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), 'rb-usual-'));
  beforeAll(() => {
    mkdirSync(join(folder, '.github'));
    writeFileSync(join(folder, DEFAULT_CONFIG), 'repeats: 4\nworkspace: /w\n');
    writeFileSync(join(folder, 'other.yml'), 'repeats: 5\nworkspace: /w\n');
    process.chdir(folder);
  });
  afterAll(() => {
    process.chdir(here);
    rmSync(folder, { recursive: true });
  });

  it('is read where none is named, and only then', async () => {
    await expect(gatherInputs({})).resolves.toMatchObject({ repeats: 4, config: DEFAULT_CONFIG });
    await expect(gatherInputs({ config: 'other.yml' })).resolves.toMatchObject({ repeats: 5 });
  });

  it('is not looked at by commands that take none', async () => {
    await expect(inputsOf('verify', 'bundle')).resolves.toMatchObject({ config: null, repeats: 1 });
    await expect(inputsOf('plan')).resolves.toMatchObject({ repeats: 4 });
  });
});

function inputsOf(...argv: readonly string[]) {
  const parsed = parseArgs(argv);
  if (parsed.kind !== 'verb') throw new Error('no verb');
  return inputsOfLine(parsed);
}

describe('a command line with an unknown option', () => {
  it('is refused with all that is wrong with its inputs and its config file as well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rb-line-'));
    const config = join(folder, 'bench.yml');
    writeFileSync(config, 'repeats: many\n');
    await expect(inputsOf('plan', '--nope', '--config', config, '--tasks', 'x')).rejects.toMatchObject({
      exitCode: 2,
      problems: [
        { code: 'RB111', where: 'option --nope' },
        { code: 'RB102', where: 'input tasks' },
        { code: 'RB102', where: `${config}:1:1 repeats` },
        { code: 'RB103', where: 'input workspace' },
      ],
    });
    rmSync(folder, { recursive: true });
  });

  it('is refused when nothing else is wrong, and asks for nothing twice', async () => {
    await expect(inputsOf('plan', '--worksapce', '/w')).rejects.toMatchObject({
      exitCode: 2,
      problems: [{ code: 'RB111' }],
    });
  });
});

describe('a folder for the report that cannot be', () => {
  it('is refused before anything else, and one that can be is not made yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rb-report-dir-'));
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const reportDir of [file, join(file, 'below')]) {
      await expect(gatherInputs({ workspace: '/w', 'report-dir': reportDir })).rejects.toMatchObject({
        exitCode: 2,
        problems: [{ code: 'RB102', where: 'input report-dir' }],
      });
    }
    const later = join(folder, 'a', 'b');
    await expect(gatherInputs({ workspace: '/w', 'report-dir': later })).resolves.toMatchObject({
      reportDir: later,
    });
    expect(readdirSync(folder)).toEqual(['file']);
    await makeReportFolder(later);
    await makeReportFolder(later);
    expect(existsSync(later)).toBe(true);
    rmSync(folder, { recursive: true });
  });

  it.runIf(existsSync('/proc/self'))('ends where the system has no place for folders', async () => {
    await expect(makeReportFolder('/proc/rollout-bench/x')).rejects.toMatchObject({
      exitCode: 3,
      problems: [{ code: 'RB219', where: '/proc/rollout-bench' }],
    });
  });
});
