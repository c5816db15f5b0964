import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machineCpus, readLoad, stealPercent, ticksIn } from '../../../src/platform/host-load.ts';
import { hostLoadOf, hostLoadSchema, type LoadSample } from '../../../src/results/host-load.ts';

describe('CPU time of the machine', () => {
  it('is read as the kernel writes it, guest time not counted twice', () => {
    const text = 'cpu  100 5 50 800 20 3 2 20 90 1\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5\n';
    expect(ticksIn(text)).toEqual({ all: 1000, stolen: 20 });
  });

  it.each(['', 'cpu  1 2 3', 'cpu', 'cpus 1 2 3 4 5 6 7 8', '<html>'])('is not known from %j', (text) => {
    expect(ticksIn(text)).toBeNull();
  });

  it('gives steal between two looks, and none where one is unknown or no time passed', () => {
    const at = (all: number, stolen: number) => ({ all, stolen });
    expect(stealPercent(at(1000, 20), at(2000, 70))).toBe(5);
    expect(stealPercent(null, at(2000, 70))).toBeNull();
    expect(stealPercent(at(1000, 20), null)).toBeNull();
    expect(stealPercent(at(1000, 20), at(1000, 20))).toBeNull();
    // A machine that moved to another one counts from new.
    expect(stealPercent(at(1000, 20), at(10, 0))).toBeNull();
    expect(stealPercent(at(1000, 20), at(2000, 10))).toBe(0);
  });

  it('is there on Linux', () => {
    const { load1, ticks } = readLoad();
    expect(machineCpus()).toBeGreaterThan(0);
    if (process.platform !== 'linux') return;
    expect(load1).toBeGreaterThanOrEqual(0);
    expect(ticks?.all).toBeGreaterThan(0);
  });
});

describe('the load of a run', () => {
  const known = fc.option(fc.double({ min: 0, max: 500, noNaN: true }));
  const sample: fc.Arbitrary<LoadSample> = fc.record({
    at: fc.constant('2026-11-29T12:00:00.000Z'),
    load1: known,
    stealPercent: known,
    gpuProcesses: fc.option(fc.nat(20)),
    othersSessions: fc.option(fc.nat(20)),
  });

  it('takes what is unknown for neither quiet nor busy', () => {
    fc.assert(
      fc.property(
        fc.array(sample, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 64 }),
        (all, cpus) => {
          const load = hostLoadOf(cpus, all, all);
          expect(hostLoadSchema.parse(load)).toEqual(load);
          expect(load.looks).toBe(all.length);
          const told = all.flatMap(({ load1 }) => (load1 === null ? [] : [load1]));
          expect(load.load1 === null).toBe(told.length === 0);
          expect(load.overloaded).toBe(told.filter((each) => each > cpus).length);
          expect(load.gpuProcesses === null).toBe(all.every(({ gpuProcesses }) => gpuProcesses === null));
        },
      ),
    );
  });
});
