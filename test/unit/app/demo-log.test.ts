import { describe, expect, it } from 'vitest';
import { talking } from '../../../src/app/demo.ts';
import { terminalLog } from '../../../src/platform/terminal-log.ts';

describe('the log of the demo', () => {
  it('is never silent for ten seconds while episodes end, in a file as well', () => {
    let nowMs = 0;
    const written: number[] = [];
    const stream = { isTTY: false, write: () => written.push(nowMs) };
    const plain = terminalLog({ stream, env: {}, now: () => nowMs, redact: (text) => text });
    const log = talking(plain, { now: () => nowMs });
    for (; nowMs <= 60_000; nowMs += 500) log.progress(`${nowMs / 500}/120`);
    const silences = written.map((at, index) => at - (written[index - 1] ?? 0));
    expect(Math.max(...silences, 60_000 - (written.at(-1) ?? 0))).toBeLessThanOrEqual(10_000);
  });
});
