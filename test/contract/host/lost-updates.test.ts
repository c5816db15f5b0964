import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DUMMY_SKILL_ID, DUMMY_TARGET_ID, type Host, startHost } from '../../../src/host/host.ts';
import { writeAtomically } from '../../../src/host/runtime-document.ts';
import { SessionLock } from '../../../src/host/session-lock.ts';
import { writeRuntimeYaml } from '../../../src/host/yaml-writer.ts';

/*
 * The trap clients must avoid: one step of the watchdog reads without the lock and writes under it. What was appended
 * in between is lost, also by a writer that holds the lock, unless it keeps away while an entry is preflight_checking.
 */

let host: Host;

afterEach(async () => {
  await host.stop();
});

/** Appends `count` sessions one by one while the watchdog works; the answer is how many of them are in the file at the end. */
async function append(count: number, keepsAway: boolean): Promise<number> {
  host = await startHost({ watchdog: { pollMs: 1, preflightWindowMs: 15 } });
  const path = join(host.workspace, 'SESSIONS.md');
  const lock = new SessionLock(`${path}.lock`);
  const ids = Array.from({ length: count }, (_, index) => `appended-${index}`);
  for (const id of ids) {
    let isWritten = false;
    while (!isWritten) {
      isWritten = await lock.hold(() => appendOne(path, id, keepsAway));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }
  lock.close();
  await host.stopWatchdog();
  const text = readFileSync(path, 'utf8');
  return ids.filter((id) => text.includes(`session_id: ${id}\n`)).length;
}

function appendOne(path: string, id: string, keepsAway: boolean): boolean {
  const text = readFileSync(path, 'utf8').replace('sessions: []', 'sessions:');
  if (keepsAway && text.includes('status: preflight_checking')) return false;
  const entry = writeRuntimeYaml([
    {
      session_id: id,
      target_ref: DUMMY_TARGET_ID,
      skillruntime_ref: DUMMY_SKILL_ID,
      task_description: 'appended',
      routing: { policy_endpoint: 'dummy://local' },
    },
  ]);
  writeAtomically(path, text.replace(/```\n$/, `${entry}\`\`\`\n`), false);
  return true;
}

describe('appending while the watchdog works', () => {
  it('under the lock alone loses entries', async () => {
    expect(await append(30, false)).toBeLessThan(30);
  });

  it('under the lock and never beside preflight_checking loses none', async () => {
    expect(await append(30, true)).toBe(30);
  });
});
