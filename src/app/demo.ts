import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../bundle/layout.ts';
import type { ExitCode } from '../errors/rb-error.ts';
import { isThere } from '../files/is-there.ts';
import { type Host, startHost } from '../host/host.ts';
import { readInputs } from '../inputs/read-inputs.ts';
import { maskedLog } from '../job/prepare/held-out-guard.ts';
import { decidedFolder } from '../job/publish/write-report.ts';
import type { VerbContext } from '../job/verb.ts';
import { BENCH_FOLDER } from '../lane/host-folder.ts';
import type { Clock, Log } from '../platform/ports.ts';
import { everyInterval } from '../platform/terminal-log.ts';
import { calledAs } from './called-as.ts';
import { run } from './run.ts';

/** Ten tasks on five initial states: seconds on the embedded host, and enough to see a table. */
const DEMO_INPUTS = {
  suite: 'libero_spatial',
  'init-states': '0-4',
  'min-success-rate': '50%',
  'policy-ref': 'the embedded demo policy',
};

/** A policy that is mostly right, so that the report has failures to show. */
const DEMO_SKILL = 0.85;

/** What `--serve` offers beside the policy of the demo: one to fail a gate with, and one for `expert-endpoint`. */
const SERVED_POLICIES = [
  { mode: { kind: 'bad', skill: 0.4 }, metadata: { model: 'demo', checkpoint: 'demo-2-worse' } },
  { mode: { kind: 'bad', skill: 1 }, metadata: { model: 'expert', checkpoint: 'expert-1' } },
] as const;

/**
 * `demo`: the main job from plan to report on the embedded simulation host, in a workspace of its own that stays, so
 * that the report and its bundle can be looked at. No simulator, GPU, policy server or network is needed. With `--serve`
 * the host stays up afterwards, until a signal, so that every other verb can be tried on it.
 */
export async function demo(verb: VerbContext): Promise<ExitCode> {
  const serves = verb.options.has('serve');
  const workspace = await mkdtemp(path.join(tmpdir(), 'rollout-bench-demo-'));
  const host = await startHost({
    workspace,
    policies: [
      { mode: { kind: 'bad', skill: DEMO_SKILL }, metadata: { model: 'demo', checkpoint: 'demo-1' } },
      ...(serves ? SERVED_POLICIES : []),
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
    const exitCode = await run({ ...verb, inputs, log: talking(verb.log, verb.clock) });
    const left = { program: calledAs(process.argv[1]), workspace, bundle: await bundleIn(workspace) };
    verb.log.info(whatNext(left, await decidedPage(left.bundle)));
    if (serves && !verb.signal.aborted) {
      verb.log.info(whatToTry(left, host));
      await untilStopped(verb.signal);
    }
    return exitCode;
  } finally {
    await host.stop();
  }
}

/** Somebody who sees this program for the first time is not to wonder whether it still works. */
const SILENCE_MS = 8_000;

/** A log that shows progress more often than a run of hours needs, also where no terminal replaces the line. */
export function talking(log: Log, clock: Pick<Clock, 'now'>): Log {
  const isDue = everyInterval(() => clock.now(), SILENCE_MS);
  return {
    ...maskedLog(log, (text) => text),
    progress: (message) => (message !== '' && isDue() ? log.info(message) : log.progress(message)),
  };
}

interface Left {
  /** How the program is called here. */
  readonly program: string;
  readonly workspace: string;
  /** Folder of the bundle; null when the run made none. */
  readonly bundle: string | null;
}

async function bundleIn(workspace: string): Promise<string | null> {
  const runs = path.join(workspace, BENCH_FOLDER);
  const names = await readdir(runs).catch(() => []);
  const runId = names.find((name) => !name.startsWith('.'));
  return runId === undefined ? null : path.join(runs, runId, 'attempt-1');
}

/** The sealed page is from before the decision; a run that did not end has none. */
async function decidedPage(bundle: string | null): Promise<string | null> {
  if (bundle === null) return null;
  const page = path.join(decidedFolder(bundle), BUNDLE_FILES.page);
  return (await isThere(page)) ? page : null;
}

/** The demo is often the first thing somebody runs here, so it says what can be done with what it left. */
function whatNext({ program, workspace, bundle }: Left, page: string | null): string {
  if (bundle === null) return `Everything is in ${workspace}.`;
  const open = page === null ? '' : `\n  open in a browser   ${page}`;
  return `What to look at next:${open}
  check offline       ${program} verify ${bundle}
  what a host needs   ${program} doctor --workspace <your workspace>
The workspace stays until you remove it: ${workspace}`;
}

/** Floor of the offered release; a qualification holds for the floors that it was made with, so both name it. */
const OFFERED_FLOOR = '--min-success-rate 60%';

/** Whole commands for a second terminal. */
function whatToTry({ program, workspace, bundle }: Left, { policies }: Host): string {
  const where = `--workspace ${workspace} --suite libero_spatial`;
  const [demo, worse, expert] = policies;
  return `
The host stays up until Ctrl-C. In a second terminal, for example:
  check it            ${program} doctor ${where} --policy-endpoint ${demo?.endpoint}
  plan                ${program} plan ${where} --init-states 0-4
  a worse policy      ${program} run ${where} --init-states 0-4 --policy-endpoint ${worse?.endpoint} --baseline ${bundle ?? 'none'}
  qualify             ${program} qualify ${where} ${OFFERED_FLOOR} --expert-endpoint ${expert?.endpoint}
  a release           ${program} run ${where} --purpose release ${OFFERED_FLOOR} --policy-endpoint ${demo?.endpoint}
  what was run        ${program} inventory --workspace ${workspace}`;
}

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
