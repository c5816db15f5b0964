import { describe, expect, it } from 'vitest';
import { type Access, openToOthers } from '../../../../src/job/prepare/held-out-file.ts';

const FILE = '/srv/bench/held out.yml';
const GOOD: Access = { mode: 0o100_600, uid: 1001, folderMode: 0o040_755 };
const told = (access: Partial<Access>, own: number | null = 1001) =>
  openToOthers(FILE, { ...GOOD, ...access }, own).map(({ severity, fix }) => `${severity}: ${fix}`);

describe('who may know a held-out file', () => {
  it('is the user of the benchmark alone; a folder that others can list gives nothing away', () => {
    expect(told({})).toEqual([]);
    expect(told({ mode: 0o100_400 })).toEqual([]);
    expect(told({ mode: 0o100_600, uid: 0 }, 0)).toEqual([]);
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o602, 0o601, 0o610])('is not whoever mode %o lets in', (mode) => {
    expect(told({ mode: 0o100_000 | mode })).toEqual([
      "fatal: On the host: chmod 600 '/srv/bench/held out.yml'",
    ]);
  });

  it('is nobody who owns the file, or can put another one in its place', () => {
    expect(told({ uid: 1002 })).toEqual(["fatal: On the host: chown 1001 '/srv/bench/held out.yml'"]);
    expect(told({ folderMode: 0o040_775 })).toEqual(['fatal: On the host: chmod 700 /srv/bench']);
    expect(told({ folderMode: 0o041_777 })).toEqual([]);
    expect(told({ mode: 0o100_666, uid: 0, folderMode: 0o040_777 })).toHaveLength(3);
  });

  it('is told to root, who can read the file of any user, as where files are mounted into a container', () => {
    expect(told({ uid: 1002 }, 0)).toEqual(["warning: On the host: chown 0 '/srv/bench/held out.yml'"]);
    expect(told({ uid: 1002, mode: 0o100_644 }, 0)).toHaveLength(2);
  });

  it('is not known where the system has no such modes', () => {
    expect(told({ mode: 0o100_666 }, null)).toEqual([]);
  });
});
