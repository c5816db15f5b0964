/** A benchmark in a process of its own, for tests that kill it. Arguments: one JSON object, see `ChildWishes`. */
import * as path from 'node:path';
import { takeLane } from '../../../src/lane/lane.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { probePolicy } from '../../../src/policy/probe.ts';
import { executePlan } from '../../../src/queue/execute.ts';
import type { ExecutionInput } from '../../../src/queue/execution.ts';
import type { QueueSettings } from '../../../src/queue/machine/job.ts';
import { createRecorder, type PolicyRecorder } from '../../../src/queue/policy-recorder.ts';
import { type PlanWishes, runInput, silentLog, smallPlan } from './bench-run.ts';

export interface ChildWishes {
  readonly workspace: string;
  readonly policyEndpoint: string;
  readonly plan: PlanWishes;
  readonly attempt: number;
  readonly settings?: Partial<QueueSettings>;
  /** Sessions ask their policy through a relay that records it, and no error of the host is tried again. */
  readonly records?: boolean;
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
const settings = wishes.records === true ? { retryErrors: 0 } : {};
const input = await runInput({
  ...wishes,
  settings,
  plan: smallPlan(wishes.plan),
  signal: controller.signal,
});
const recorder = wishes.records === true ? await recorderOf(input) : null;
const end = await executePlan({ ...input, recorder });
await recorder?.close();
await lane.release();
process.stdout.write(`${JSON.stringify({ end: end.end, reason: end.reason })}\n`);

async function recorderOf({ bundleDir }: ExecutionInput): Promise<PolicyRecorder> {
  const before = await probePolicy(wishes.policyEndpoint, { timeoutMs: 10_000 });
  const url = wishes.policyEndpoint.replace('openpi://', 'ws://');
  return createRecorder(path.join(bundleDir, 'raw'), [{ arm: 'candidate', url, before }]);
}
