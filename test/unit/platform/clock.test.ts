import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';

describe('the clock', () => {
  it('ends a sleep without an error when its signal aborts', async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await expect(sleep).resolves.toBeUndefined();
    await expect(systemClock.sleep(3_600_000, controller.signal)).resolves.toBeUndefined();
  });
});
