import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { ExitCode } from '../errors/rb-error.ts';
import { startHost } from '../host/host.ts';
import { readInputs } from '../inputs/read-inputs.ts';
import { run } from './run.ts';
import type { VerbContext } from './verb.ts';

/** Ten tasks on five initial states: seconds on the embedded host, and enough to see a table. */
const DEMO_INPUTS = {
  suite: 'libero_spatial',
  'init-states': '0-4',
  'min-success-rate': '50%',
  'policy-ref': 'the embedded demo policy',
};

/** A policy that is mostly right, so that the report has failures to show. */
const DEMO_SKILL = 0.85;

/**
 * `demo`: the main job from plan to report on the embedded simulation host, in a workspace of its own that stays, so
 * that the report and its bundle can be looked at. No simulator, GPU, policy server or network is needed.
 */
export async function demo(verb: VerbContext): Promise<ExitCode> {
  const workspace = await mkdtemp(path.join(tmpdir(), 'rollout-bench-demo-'));
  const host = await startHost({
    workspace,
    policies: [
      { mode: { kind: 'bad', skill: DEMO_SKILL }, metadata: { model: 'demo', checkpoint: 'demo-1' } },
    ],
    watchdog: { pollMs: 20 },
  });
  try {
    verb.log.info(`Embedded simulation host in ${workspace}; a real run takes its own workspace instead.`);
    const inputs = readInputs({
      ...DEMO_INPUTS,
      workspace,
      'policy-endpoint': host.policyEndpoint,
      ...(verb.inputs.reportDir === null ? {} : { 'report-dir': verb.inputs.reportDir }),
    });
    return await run({ ...verb, inputs });
  } finally {
    await host.stop();
  }
}
