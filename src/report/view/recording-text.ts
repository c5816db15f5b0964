import type { EpisodeRecord } from '../../model/episode-record.ts';
import type { Results } from '../../model/results.ts';
import { observedOrder } from '../../verdict/observed-order.ts';
import { numberText } from '../text/format.ts';
import type { ViewRow } from './report-input.ts';

/** What was recorded of the policies, one row for each arm; empty for a run that recorded nothing. */
export function recordingRows({ recording }: Results): ViewRow[] {
  return (recording?.arms ?? []).map(({ arm, valid, proven, calls, latencyMs }) => ({
    label: `${arm} policy recorded`,
    value: `by a relay: ${calls} calls, ${proven} of ${valid} episodes verified, mean latency ${numberText(latencyMs.mean)} ms`,
    code: false,
  }));
}

/** What nobody could see of which policy answered, for "what this run could not have seen". */
export function recordingLimits({ recording, run }: Results): string[] {
  if (run.recording === undefined)
    return [
      'Which policy answered was not recorded: that each session asked the policy that was meant is taken on trust.',
    ];
  if (recording?.verified === true) return [];
  return ['Which policy answered is not proven for every episode that counts.'];
}

/** How the order in which episodes began compares with the planned one, in words. */
export function observedOrderText(records: readonly EpisodeRecord[]): string {
  const { known, moved } = observedOrder(records);
  if (known === 0) return 'not observed';
  return moved === 0 ? 'observed as planned' : `${moved} of ${known} episodes began at another place`;
}
