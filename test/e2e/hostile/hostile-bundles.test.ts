import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { walkFolder } from '../../../src/files/walk.ts';
import { type InstalledProgram, installProgram, runCli } from '../built-program.ts';
import { ARCHIVES } from './archives.ts';
import { BOMBS, type Damage, FOLDERS, FORGERIES, inPlaceOf } from './damage.ts';
import { measuredVerify } from './measured.ts';
import { entriesOf, writeArchive } from './tar-writer.ts';

/**
 * Bundles of strangers: folders and archives, forged with every hash made again, damaged, or built to hang or fill the
 * host. HOSTILE_BUNDLES=all tries every one (above 300); else one of each few is tried.
 */
const ALL = process.env['HOSTILE_BUNDLES'] === 'all';
const EVERY = 9;

const MOST_CPU_SECONDS = 10;
const MOST_MB = 300;
/** A second on a machine that does nothing else. */
const MOST_SECONDS_TO_END = ALL ? 1 : 5;

let program: InstalledProgram;
let root: string;
let sound: string;
/** Of this very build, with few files. */
beforeAll(async () => {
  program = await installProgram();
  root = mkdtempSync(join(tmpdir(), 'rollout-bench-hostile-'));
  const made = await runCli({ program, node: process.execPath, args: ['demo'], env: { TMPDIR: root } });
  expect(made.exitCode).toBe(0);
  const workspace = readdirSync(root).find((name) => name.startsWith('rollout-bench-demo-')) ?? '';
  const runs = join(root, workspace, 'artifacts', 'rollout-bench');
  const run = readdirSync(runs).find((name) => !name.startsWith('.')) ?? '';
  sound = join(runs, run, 'attempt-1');
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await program.remove();
});

interface Case {
  readonly name: string;
  readonly expect: 'refused' | 'verified';
  /** Makes it and gives its path. */
  readonly make: (place: string) => string;
}

function folderCase(damage: Damage): Case {
  const make = (place: string): string => {
    const dir = join(place, 'attempt-1');
    cpSync(sound, dir, { recursive: true });
    damage.apply(dir);
    return dir;
  };
  return { name: `folder: ${damage.name}`, expect: damage.expect, make };
}

function packedCase(damage: Damage, order: 'manifest first' | 'by path'): Case {
  const make = (place: string): string => {
    const dir = folderCase(damage).make(place);
    const file = join(place, 'bundle.tar.gz');
    writeArchive(file, entriesOf(dir, 'b', order));
    return file;
  };
  return { name: `archive ${order}: ${damage.name}`, expect: damage.expect, make };
}

/** Files at the top of a bundle, and one session's. */
const NAMES = [
  ...['manifest.json', 'plan.json', 'run.json', 'journal.jsonl', 'results.json', 'episodes.jsonl'],
  ...['report.html', 'episodes.csv', 'junit.xml', 'sessions.md', 'charts/tasks.svg'],
];

function cases(): readonly Case[] {
  const damages = [...FOLDERS, ...FORGERIES, ...BOMBS, ...NAMES.flatMap(inPlaceOf)];
  const packable = damages.filter((each) => each.packable);
  return [
    ...damages.map(folderCase),
    ...packable.map((damage, at) => packedCase(damage, at % 2 === 0 ? 'manifest first' : 'by path')),
    ...ARCHIVES.map(({ name, expect: expected, write }): Case => {
      const make = (place: string): string => {
        const file = join(place, 'bundle.tar.gz');
        write(sound, file);
        return file;
      };
      return { name: `archive: ${name}`, expect: expected, make };
    }),
  ];
}

const chosen = cases().filter((_, at) => ALL || at % EVERY === 0);

describe('verify, given a bundle of a stranger', () => {
  it('knows more than 300 of them', () => {
    expect(cases().length).toBeGreaterThan(300);
  });

  it.each(chosen)('$name', async ({ expect: expected, make }) => {
    const place = mkdtempSync(join(root, 'case-'));
    const scratch = join(place, 'scratch');
    mkdirSync(scratch);
    try {
      const bundle = make(place);
      const cli = join(program.folder, 'dist', 'cli.js');
      const found = await measuredVerify(cli, bundle, { scratch, stopAfterMs: null });
      expect(found, found.output).toMatchObject({ exitCode: expected === 'verified' ? 0 : 5 });
      expect(found.output).not.toContain('This is a bug');
      expect(found.cpuSeconds).toBeLessThan(MOST_CPU_SECONDS);
      expect(found.peakMb).toBeLessThan(MOST_MB);
      expect(walkFolder(scratch).files.filter((name) => name.includes('/'))).toEqual([]);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('ends within a second of a signal, whatever it is at', async () => {
    const slow = cases().filter(({ name }) => /many lines|empty files|terabyte|zeros in a file/.test(name));
    for (const { name, make } of ALL ? slow : slow.slice(0, 3)) {
      const place = mkdtempSync(join(root, 'case-'));
      const scratch = join(place, 'scratch');
      mkdirSync(scratch);
      const bundle = make(place);
      const cli = join(program.folder, 'dist', 'cli.js');
      for (const stopAfterMs of [500, 1500]) {
        const found = await measuredVerify(cli, bundle, { scratch, stopAfterMs });
        const ended = found.secondsToEnd ?? 0;
        expect(ended, `${name} after ${stopAfterMs} ms`).toBeLessThan(MOST_SECONDS_TO_END);
        // Null: the signal came before the program was there to hear it.
        expect([5, 143, null], name).toContain(found.exitCode);
      }
      rmSync(place, { recursive: true, force: true });
    }
  });
});
