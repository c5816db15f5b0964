import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSettings, GitHubClient } from '../../../../src/github/client.ts';
import type { Clock, Log } from '../../../../src/platform/ports.ts';
import type { LoopbackGitHub } from './loopback-github.ts';

export const REPOSITORY = { owner: 'acme', repo: 'robots' } as const;

/** A clock that runs `speed` times as fast, so that minutes of waiting are seen through in a moment. */
export function fastClock(speed = 100): Clock & { readonly slept: number[] } {
  const begun = Date.now();
  const slept: number[] = [];
  return {
    slept,
    now: () => begun + (Date.now() - begun) * speed,
    async sleep(ms, signal) {
      slept.push(ms);
      try {
        await delay(ms / speed, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        if (signal?.aborted !== true) throw error;
      }
    },
  };
}

/** A clock that only moves when somebody waits; waiting takes no time. */
export function waitingClock(): Clock & { readonly slept: number[] } {
  let now = Date.now();
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
    },
  };
}

export class KeptLog implements Log {
  readonly lines: string[] = [];
  info(message: string): void {
    this.lines.push(message);
  }
  warning(message: string): void {
    this.lines.push(`warning: ${message}`);
  }
  error(message: string): void {
    this.lines.push(`error: ${message}`);
  }
  group(): void {}
  endGroup(): void {}
  progress(): void {}
}

export function clientFor(
  github: LoopbackGitHub,
  token: string,
  settings: Partial<ClientSettings> = {},
): GitHubClient {
  return new GitHubClient({
    token,
    apiUrl: github.url,
    clock: fastClock(),
    log: new KeptLog(),
    random: Math.random,
    budgetMs: 3_600_000,
    ...settings,
  });
}
