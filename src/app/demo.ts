import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../bundle/layout.ts';
import type { ExitCode } from '../errors/rb-error.ts';
import { startHost } from '../host/host.ts';
import { readInputs } from '../inputs/read-inputs.ts';
import { BENCH_FOLDER } from '../lane/host-folder.ts';
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

/** How the program was called, so that its next commands can be copied: in a clone it is not on the path. */
function callOf(script: string | undefined): string {
  if (script === undefined || path.extname(script) !== '.js') return 'rollout-bench';
  return `node ${path.relative(process.cwd(), script) || script}`;
}

/** The demo is often the first thing somebody runs here, so it says what can be done with what it left. */
async function whatNext(workspace: string): Promise<string> {
  const runs = path.join(workspace, BENCH_FOLDER);
  const names = await readdir(runs).catch(() => []);
  const runId = names.find((name) => !name.startsWith('.'));
  if (runId === undefined) return `Everything is in ${workspace}.`;
  const bundle = path.join(runs, runId, 'attempt-1');
  const program = callOf(process.argv[1]);
  return `What to look at next:
  open in a browser   ${path.join(bundle, BUNDLE_FILES.page)}
  check offline       ${program} verify ${bundle}
  what a host needs   ${program} doctor --workspace <your workspace>
The workspace stays until you remove it: ${workspace}`;
}

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
    const exitCode = await run({ ...verb, inputs });
    verb.log.info(await whatNext(workspace));
    return exitCode;
  } finally {
    await host.stop();
  }
}
