/** Somebody who takes the lane, says so, and gives it back when told to. Arguments: workspace, run id, wait in ms. */
import { takeLane } from '../../../src/lane/lane.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { silentLog } from '../queue/bench-run.ts';

const [workspace = '', runId = '', waitMs = '0'] = process.argv.slice(2);
const say = (word: string): void => void process.stdout.write(`${word}\n`);
const log = { ...silentLog, info: () => say('waiting') };
try {
  const lane = await takeLane({ workspace, runId, waitMs: Number(waitMs), clock: systemClock, log });
  say('holding');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  await lane.release();
  say('released');
} catch (error) {
  say(error instanceof Error && 'exitCode' in error ? `refused ${String(error.exitCode)}` : String(error));
}
process.stdin.destroy();
