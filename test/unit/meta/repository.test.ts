import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, trackedFiles } from './source-files.ts';

const TOP_LEVEL = [
  'LICENSE',
  'README.md',
  'action.yml',
  'dist',
  'docs',
  'fixtures',
  'package-lock.json',
  'package.json',
  'src',
  'test',
  'tsconfig.json',
];

/** Folders of one machine, written in pieces so that this file does not find itself. */
const MACHINE_PATHS = new RegExp(
  `/(?:${['wo' + 'rk', 'ro' + 'ot', 'fa' + 'rm'].join('|')})/|/tmp/${'r' + 't'}\\b`,
);
const REGISTRY_HOSTS = new RegExp(
  [
    'registry\\.npm' + 'js\\.org',
    'registry\\.yarn' + 'pkg\\.com',
    'py' + 'pi\\.org',
    'files\\.python' + 'hosted\\.org',
    'proxy\\.go' + 'lang\\.org',
  ].join('|'),
);

const tracked = trackedFiles();
const textFiles = (tracked ?? []).filter((name) => !/\.(png|jpg|gif|ico|woff2?|zip|gz)$/.test(name));

function matching(names: readonly string[], pattern: RegExp): readonly string[] {
  return names.flatMap((name) => {
    const lines = readFileSync(join(ROOT, name), 'utf8').split('\n');
    return lines.flatMap((line, index) => (pattern.test(line) ? [`${name}:${index + 1}`] : []));
  });
}

describe.skipIf(tracked === null)('the repository', () => {
  it('has only the agreed entries at its top', () => {
    const entries = new Set((tracked ?? []).map((name) => name.split('/')[0] ?? ''));
    expect([...entries].filter((name) => !name.startsWith('.') && !TOP_LEVEL.includes(name))).toEqual([]);
  });

  it('names no folder of the machine it was written on', () => {
    expect(
      matching(
        textFiles.filter((name) => !name.startsWith('dist/')),
        MACHINE_PATHS,
      ),
    ).toEqual([]);
  });

  it('was bundled without the folder it was built in', () => {
    const bundled = textFiles.filter((name) => name.startsWith('dist/'));
    expect(bundled.filter((name) => readFileSync(join(ROOT, name), 'utf8').includes(ROOT))).toEqual([]);
  });

  it('locks packages without saying where they were fetched', () => {
    const locks = textFiles.filter((name) => name.endsWith('package-lock.json'));
    expect(locks.length).toBeGreaterThan(0);
    expect(matching(locks, /"resolved": "http/)).toEqual([]);
    expect(
      matching(
        textFiles.filter((name) => !name.startsWith('dist/')),
        REGISTRY_HOSTS,
      ),
    ).toEqual([]);
  });

  it('pins every package to one version', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const { dependencies, devDependencies } = manifest as Record<string, Record<string, string>>; // our own file
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
