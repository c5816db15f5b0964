import type { Clock, Log } from '../platform/ports.ts';
import { endProcesses } from './end-processes.ts';
import { isListenedAt, type Mark } from './proc.ts';
import type { ProcessRecord } from './record.ts';
import { runStopCommand } from './stop-command.ts';

/** How much time there is: of a run that was interrupted, little. */
export type Pace = 'calm' | 'hurried';

/** A policy that is to go may still save something. */
const GRACE_MS = { calm: 5_000, hurried: 1_500 } as const;
const STOP_COMMAND_MS = { calm: 30_000, hurried: 3_000 } as const;

interface EndRequest extends Mark {
  /** For the stop command; null when nothing but the marker is known. */
  readonly record: ProcessRecord | null;
  /** Whose processes these are, for messages. */
  readonly whose: string;
  readonly pace: Pace;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly mask: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Runs the stop command of a policy and ends all processes that its command started. What could not be ended is said.
 * @returns false when something may be left.
 */
export async function endPolicy(request: EndRequest): Promise<boolean> {
  const { token, group, place, record, whose, pace, env, mask, clock, log } = request;
  const stopping =
    record === null
      ? Promise.resolve(null)
      : runStopCommand(record, { env, clock, withinMs: STOP_COMMAND_MS[pace], mask });
  // Who has time lets a container end by its own command first.
  if (pace === 'calm') await stopping;
  let left = await endProcesses({ token, group, place }, { graceMs: GRACE_MS[pace], clock });
  const fault = await stopping;
  // What a late stop command started has the marker, too.
  if (left.length === 0) left = await endProcesses({ token, group, place }, { graceMs: 0, clock });
  if (fault !== null) log.warning(`RB952 policy-stop-command of the ${whose}: ${fault}.`);
  if (left.length > 0)
    log.warning(`RB950 the ${whose}: these processes could not be ended: ${left.join(', ')}.`);
  else if (place !== null && isListenedAt(place.port))
    log.warning(
      `RB976 the ${whose}: something still listens at port ${place.port}, which was given to its command, and cannot be told to be its own.`,
    );
  return left.length === 0 && (fault === null || pace === 'calm');
}
