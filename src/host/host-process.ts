import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { type Host, type HostOptions, startHost } from './host.ts';
import type { PolicyMode } from './policy-server.ts';

/**
 * The simulation host as a process of its own, so that tests can kill client and host separately.
 *
 * Prints JSON lines: first `{event: "ready", workspace, targetEndpoint, policyEndpoints, pid}`, then
 * `{event: "status", sessionId, status}` for each transition with `--events`, and `{event: "watchdog-ended", reason}` when
 * a document ended the watchdog (the servers stay up). Lines on standard input are commands: `pause`, `resume`, `start`,
 * `crash`, `kill-target`, `revive-target`, `policy <mode>`. Ends on SIGTERM, SIGINT, or when standard input closes.
 */
export async function runHostProcess(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(helpText());
    return 0;
  }
  const options = readOptions(argv);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  const host = await startHost({
    ...options.host,
    ...(options.events
      ? { onTransition: (sessionId, status) => say({ event: 'status', sessionId, status }) }
      : {}),
  });
  const policyEndpoints = host.policies.map((policy) => policy.endpoint);
  const { workspace, targetEndpoint } = host;
  say({ event: 'ready', workspace, targetEndpoint, policyEndpoints, pid: process.pid });
  const watching = reportCrashes(host);
  await untilAskedToEnd(host, options.ignoreStdin);
  clearInterval(watching);
  await host.stop();
  return 0;
}

const number = z.coerce.number().min(0);
const argumentSchema = z.object({
  workspace: z.string().min(1).optional(),
  dialect: z.enum(['august', 'june']).default('august'),
  seed: number.default(7),
  rule: z.enum(['seeded', 'stub']).default('seeded'),
  suite: z.string().optional(),
  policy: z.array(z.string()).default(['good']),
  'policy-port': number.optional(),
  'target-port': number.optional(),
  camera: number.optional(),
  'max-steps': number.optional(),
  'poll-ms': number.optional(),
  'preflight-window-ms': number.optional(),
  'step-ms': number.optional(),
  'build-ms': number.optional(),
  style: z.enum(['command', 'background']).default('command'),
  fsync: z.boolean().default(false),
  events: z.boolean().default(false),
  'no-watchdog': z.boolean().default(false),
  'ignore-stdin': z.boolean().default(false),
});

interface ProcessOptions {
  readonly host: HostOptions;
  readonly events: boolean;
  readonly ignoreStdin: boolean;
}

const FLAGS = ['fsync', 'events', 'no-watchdog', 'ignore-stdin'];

function helpText(): string {
  const names = Object.keys(argumentSchema.shape).map((name) =>
    FLAGS.includes(name) ? `  --${name}` : `  --${name} <value>`,
  );
  return `rollout-bench simulated-host: simulator, policies and watchdog of the demo by themselves, for tests; it prints JSON lines and ends on Ctrl-C.\nTo try the program, use \`rollout-bench demo --serve\`. Options:\n${names.join('\n')}\n`;
}

function readOptions(argv: readonly string[]): ProcessOptions | string {
  const names = Object.keys(argumentSchema.shape);
  const options = Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: FLAGS.includes(name) ? ('boolean' as const) : ('string' as const),
        multiple: name === 'policy',
      },
    ]),
  );
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true });
    return toOptions(argumentSchema.parse(values));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function toOptions(values: z.output<typeof argumentSchema>): ProcessOptions {
  const modes = values.policy.map(policyMode);
  const port = values['policy-port'];
  const given = <T>(key: string, value: T | undefined): Record<string, T> =>
    value === undefined ? {} : { [key]: value };
  return {
    events: values.events,
    ignoreStdin: values['ignore-stdin'],
    host: {
      ...given('workspace', values.workspace),
      ...given('suite', values.suite),
      ...given('cameraSize', values.camera),
      ...given('maxSteps', values['max-steps']),
      ...given('targetPort', values['target-port']),
      ...given('stepMs', values['step-ms']),
      ...given('buildMs', values['build-ms']),
      dialect: values.dialect,
      rule: values.rule === 'stub' ? { kind: 'stub' } : { kind: 'seeded', seed: values.seed },
      policies: modes.map((mode, index) => ({ mode, ...(port === undefined ? {} : { port: port + index }) })),
      startWatchdog: !values['no-watchdog'],
      watchdog: {
        ...given('pollMs', values['poll-ms']),
        ...given('preflightWindowMs', values['preflight-window-ms']),
        style: values.style,
        fsync: values.fsync,
      },
    },
  };
}

/** `good`, `liar`, `bad:0.3`, `slow:200`, `broken:nan`. */
function policyMode(text: string): PolicyMode {
  const [kind = '', value = ''] = text.split(':');
  if (kind === 'good' || kind === 'liar') return { kind };
  if (kind === 'bad') return { kind, skill: z.coerce.number().min(0).max(1).parse(value) };
  if (kind === 'slow') return { kind, delayMs: number.parse(value) };
  if (kind === 'broken') return { kind, how: z.enum(['text', 'noactions', 'nan', 'dim8']).parse(value) };
  throw new Error(`unknown policy mode ${text}: good, bad:<skill>, slow:<ms>, broken:<how> or liar`);
}

function reportCrashes(host: Host): NodeJS.Timeout {
  let reported: unknown = null;
  return setInterval(() => {
    const crash = host.watchdogCrash();
    if (crash === null || crash === reported) return;
    reported = crash;
    say({
      event: 'watchdog-ended',
      alive: host.watchdogAlive(),
      reason: `${crash.pythonName}: ${crash.message}`,
    });
  }, 50);
}

function untilAskedToEnd(host: Host, ignoreStdin: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    if (ignoreStdin) return;
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => {
      obey(host, line.trim()).catch((error: unknown) =>
        say({ event: 'refused', line, reason: String(error) }),
      );
    });
    lines.on('close', () => resolve());
  });
}

async function obey(host: Host, line: string): Promise<void> {
  const [word = '', mode = ''] = line.split(' ');
  if (word === 'pause') host.pauseWatchdog();
  else if (word === 'resume') host.resumeWatchdog();
  else if (word === 'start') host.startWatchdog();
  else if (word === 'crash') await host.crashWatchdog();
  else if (word === 'kill-target') await host.killTarget();
  else if (word === 'revive-target') await host.reviveTarget();
  else if (word === 'policy') host.policies[0]?.setMode(policyMode(mode));
  else throw new Error('unknown command');
  say({ event: 'done', line });
}

function say(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
