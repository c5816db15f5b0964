import type { Plan } from '../../model/plan.ts';
import { type Fingerprint, fingerprintOf } from '../../verdict/fingerprint.ts';
import type { FoundTasks } from './find-tasks.ts';
import type { OpenHost } from './open-host.ts';

/** The protocol fingerprint of a run on this host, as far as it was seen. Pure. */
export function protocolOf(
  plan: Plan,
  host: Pick<OpenHost, 'dialect' | 'watchdog'>,
  found: Pick<FoundTasks, 'description'>,
): Fingerprint {
  return fingerprintOf(
    plan,
    {
      harness: 'rollout-bench',
      // Documents for our own watchdog have no dialect of the runtime's.
      runtime_version: host.dialect ?? host.watchdog,
      ...found.description?.protocol,
      simulator: found.description?.runtime ?? null,
    },
    found.description?.tasks ?? [],
  );
}
