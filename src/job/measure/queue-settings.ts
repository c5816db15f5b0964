import type { Inputs } from '../../inputs/read-inputs.ts';
import { DEFAULT_QUEUE_SETTINGS, type QueueSettings } from '../../queue/machine/job.ts';

/** How a run queues and waits, from seconds to milliseconds. Pure. */
export function queueSettings(inputs: Inputs): QueueSettings {
  return {
    queueWindow: inputs.queueWindow === 'auto' ? DEFAULT_QUEUE_SETTINGS.queueWindow : inputs.queueWindow,
    retryErrors: inputs.retryErrors,
    maxConsecutiveErrors: inputs.maxConsecutiveErrors,
    hostWaitMs: inputs.hostWaitS * 1000,
    sessionTimeoutMs: inputs.sessionTimeoutS * 1000,
    runTimeoutMs: inputs.runTimeoutS === null ? null : inputs.runTimeoutS * 1000,
    stallTimeoutMs: inputs.stallTimeoutS * 1000,
    keepSessions: inputs.keepSessions,
  };
}
