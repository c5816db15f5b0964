import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../.github/scripts/ci-counts.mjs', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface ReportedFile {
  readonly status: string;
  readonly tests: readonly string[];
}

function counts(files: readonly ReportedFile[], exitStatus: number) {
  const file = join(folder, 'report.json');
  const testResults = files.map(({ status, tests }) => ({
    status,
    assertionResults: tests.map((state) => ({ status: state })),
  }));
  writeFileSync(file, JSON.stringify({ testResults }));
  return countsOf(file, exitStatus);
}

function countsOf(file: string, exitStatus: number) {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, file, String(exitStatus)], {
    encoding: 'utf8',
  });
  return { status, stdout };
}

describe('counts of one tier for the last line of the CI run', () => {
  it('adds up files, with skipped tests apart', () => {
    const files = [
      { status: 'passed', tests: ['passed', 'skipped', 'todo'] },
      { status: 'failed', tests: ['passed', 'failed'] },
    ];
    expect(counts(files, 1)).toEqual({ status: 0, stdout: '2 1 2\n' });
  });

  it('counts a file that could not be loaded as a failure', () => {
    expect(counts([{ status: 'failed', tests: [] }], 1).stdout).toBe('0 1 0\n');
  });

  it('counts a run that ended badly without a failed test as a failure', () => {
    expect(counts([{ status: 'passed', tests: ['passed'] }], 124).stdout).toBe('1 1 0\n');
  });

  it('refuses a report that is not there', () => {
    expect(countsOf(join(folder, 'none.json'), 0)).toEqual({ status: 1, stdout: '' });
  });
});
