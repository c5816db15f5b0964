/** A benchmark in a process of its own, for tests that kill it. Arguments: one JSON object, see `ChildWishes`. */
import { takeLane } from '../../../src/lane/lane.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { QueueSettings } from '../../../src/queue/settings.ts';
import { type PlanWishes, runInput, silentLog, smallPlan } from './bench-run.ts';

export interface ChildWishes {
  readonly workspace: string;
  readonly policyEndpoint: string;
  readonly plan: PlanWishes;
  readonly attempt: number;
  readonly settings?: Partial<QueueSettings>;
  readonly resume: readonly { readonly attempt: number; readonly bundleDir: string }[];
}

const controller = new AbortController();
process.on('SIGTERM', () => controller.abort());
// Written by the test that starts this process.
const wishes = JSON.parse(process.argv[2] ?? '{}') as ChildWishes;
const lane = await takeLane({
  workspace: wishes.workspace,
  runId: 'test-run',
  waitMs: 10_000,
  clock: systemClock,
  log: silentLog,
});
const input = await runInput({ ...wishes, plan: smallPlan(wishes.plan), signal: controller.signal });
const end = await executePlan(input);
await lane.release();
process.stdout.write(`${JSON.stringify({ end: end.end, reason: end.reason })}\n`);
