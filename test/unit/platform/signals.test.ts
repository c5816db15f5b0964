import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { watchSignals } from '../../../src/platform/signals.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function watched() {
  const source = new FakeProcess();
  let time = 0;
  const interruption = watchSignals(source, () => time);
  return {
    source,
    interruption,
    later: (ms: number) => {
      time += ms;
    },
  };
}

describe('SIGINT and SIGTERM', () => {
  it('abort the work and name their exit code', () => {
    for (const [name, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const { source, interruption } = watched();
      expect(interruption.exitCode()).toBeNull();
      source.emit(name);
      expect(interruption.signal.aborted).toBe(true);
      expect(interruption.exitCode()).toBe(code);
      expect(source.exits).toEqual([]);
    }
  });

  it('count as one wish when they come within a second, as from a terminal through npm', () => {
    const { source, interruption, later } = watched();
    source.emit('SIGINT');
    later(999);
    source.emit('SIGINT');
    expect(source.exits).toEqual([]);
    expect(interruption.exitCode()).toBe(130);
  });

  it('end the process at once when they are repeated later', () => {
    const { source, interruption, later } = watched();
    source.emit('SIGINT');
    later(7500);
    source.emit('SIGTERM');
    expect(source.exits).toEqual([143]);
    expect(interruption.exitCode()).toBe(130);
  });

  it('are no longer heard after dispose', () => {
    const { source, interruption } = watched();
    interruption.dispose();
    source.emit('SIGINT');
    expect(interruption.signal.aborted).toBe(false);
    expect(source.listenerCount('SIGTERM')).toBe(0);
  });
});
