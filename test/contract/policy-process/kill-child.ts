/** A program that starts a policy and goes on until it is killed. Argument: one JSON object, see `KillWishes`. */
import { hostFolder } from '../../../src/lane/host-folder.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { SILENT_LOG } from '../../../src/platform/silent-log.ts';
import { PolicyProcess } from '../../../src/policy-process/policy-process.ts';

export interface KillWishes {
  readonly workspace: string;
  readonly command: string;
  readonly port: number;
  readonly sign: string;
}

// Written by the test that starts this process.
const { workspace, command, port, sign } = JSON.parse(process.argv[2] ?? '{}') as KillWishes;
const policy = new PolicyProcess(
  {
    ...{ arm: 'candidate', command, directory: workspace, port, stopCommand: null, names: ['SIGN'] },
    ...{ waitMs: 60_000, runId: 'killed' },
  },
  {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], SIGN: sign },
    clock: systemClock,
    log: SILENT_LOG,
    mask: (text) => text,
    records: hostFolder(workspace).policies,
    logFile: `${workspace}/policy.log`,
  },
);
process.stdout.write('starting\n');
await policy.start();
await policy.untilReady(new AbortController().signal);
process.stdout.write('ready\n');
setInterval(() => undefined, 1000);
