import { readFile, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { doctor } from '../../../src/app/doctor.ts';
import { inventory } from '../../../src/app/inventory.ts';
import { plan } from '../../../src/app/plan.ts';
import { report } from '../../../src/app/report.ts';
import { run } from '../../../src/app/run.ts';
import { status } from '../../../src/app/status.ts';
import { verify } from '../../../src/app/verify.ts';
import type { Host } from '../../../src/host/host.ts';
import { startTargetServer } from '../../../src/host/target-server.ts';
import { readBaselineFile } from '../../../src/job/runs/read-baseline-file.ts';
import type { VerbContext } from '../../../src/job/verb.ts';
import {
  Everything,
  filesOf,
  heldOutBundle,
  hostsForTests,
  LIST,
  listFile,
  runHeldOut,
} from './held-out-run.ts';
import { called } from './verb-context.ts';

/**
 * The guessing game. Two worlds differ in one thing: whether cell (task 1, initial state 20) is held out or its neighbour
 * (task 1, initial state 40). Somebody who may call every verb with any arguments, but may not read the file, sees the same
 * in both: then no strategy guesses better than chance.
 */
const WORLDS = { 'it is': LIST, 'it is not': LIST.replace('20-22', '"21-22,40"') };
const GUESS = ['--tasks', '0-1', '--init-states', '0,20'];

const start = hostsForTests();

/** What may differ between two runs of one program: times, durations, random parts, ports, digests, temporary folders. */
function fair(text: string, on: Host): string {
  return text
    .replaceAll(path.dirname(on.workspace), '<tmp>')
    .replaceAll(path.basename(on.workspace), '<workspace>')
    .replaceAll(/\d{8}T\d{6}Z-libero_spatial-[0-9a-f]{4}/g, '<run>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?/g, '<time>')
    .replaceAll(/\b[0-9a-f]{8,}\b/g, '<hex>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<port>')
    .replaceAll(/\d+(?:\.\d+)? ?(?:ms|s|min|h|GB|MB|kB|KB|bytes)\b/g, '<quantity>')
    .replaceAll(/less than a minute|under a (?:second|minute)/g, '<quantity>');
}

interface Seen {
  readonly exit: unknown;
  readonly text: string;
}

type Verb = (verb: VerbContext) => Promise<number>;

/** What a stranger sees of a verb: how it ended and every word of it. */
async function see(on: Host, verb: Verb, argv: readonly string[]): Promise<Seen> {
  const call = await called(argv);
  const log = new Everything();
  const exit = await verb({ ...call.verb, log }).catch((error: unknown) => String(error));
  return {
    exit: typeof exit === 'string' ? fair(exit, on) : exit,
    text: fair(`${log.text}\n${call.printed()}`, on),
  };
}

async function seeRun(on: Host, more: readonly string[]): Promise<Seen & { readonly bundle: string }> {
  const ran = await runHeldOut(on, more).catch((error: unknown) => String(error));
  if (typeof ran === 'string') return { exit: fair(ran, on), text: '', bundle: '' };
  // Progress comes by the clock; what it says of cells is said in the other lines as well.
  const lines = ran.log.text.split('\n').filter((line) => !/\d+\/\d+.*;/.test(line));
  return { exit: ran.exitCode, text: fair(lines.join('\n'), on), bundle: ran.bundle };
}

/** What was seen, by what was asked. */
type Sights = Record<string, unknown>;

async function play(list: string): Promise<Sights> {
  const on = await start();
  const world: World = {
    on,
    file: await listFile(on, list),
    host: ['--workspace', on.workspace, '--suite', 'libero_spatial'],
    policy: ['--policy-endpoint', on.policies[0]?.endpoint ?? ''],
  };
  const seen = { ...(await askBefore(world)), ...(await askRuns(world)), ...(await askAfter(world)) };
  await on.stop();
  return seen;
}

interface World {
  readonly on: Host;
  readonly file: string;
  /** Options that name the host, and its policy. */
  readonly host: readonly string[];
  readonly policy: readonly string[];
}

/** The verbs that measure nothing. */
async function askBefore({ on, file, host, policy }: World): Promise<Sights> {
  const seen: Sights = {};
  for (const guess of ['20', '40', '0-49']) {
    const argv = ['plan', ...host, '--init-states', guess, '--heldout-file', file];
    seen[`plan ${guess}`] = await see(on, plan, argv);
  }
  seen['plan --json'] = await see(on, plan, ['plan', ...host, ...GUESS, '--heldout-file', file, '--json']);
  seen['doctor'] = await see(on, doctor, ['doctor', ...host, ...policy]);
  return seen;
}

async function askRuns({ on, file }: World): Promise<Sights> {
  // A name of one's own choice that the program repeats.
  const first = await seeRun(on, [...GUESS, '--heldout-file', file, '--policy-ref', 'try-t1-i20']);
  return {
    run: { exit: first.exit, text: first.text },
    refused: await seeRun(on, ['--heldout-file', file, '--policy-ref', 'task 1, initial state 20']),
  };
}

/** One more run, and everything that can be asked about it. */
async function askAfter(world: World): Promise<Sights> {
  const { on, file } = world;
  const open = await runHeldOut(on, [...GUESS, '--heldout-file', file]);
  const held = heldOutBundle(open.bundle);
  const record = path.join(on.workspace, 'artifacts/rollout-bench/.host/held-out.jsonl');
  const seen: Sights = {
    files: (await filesOf(open.bundle)).map((each) => fair(path.relative(open.bundle, each), on)).sort(),
    ...(await askSelections(world, open.bundle)),
  };
  for (const name of ['', 'episodes.jsonl', 'results.json'])
    seen[`baseline ${name}`] = await readBaselineFile(path.join(held, name));
  seen['report'] = await see(on, report, ['report', held]);
  seen['verify'] = (await see(on, verify, ['verify', open.bundle])).exit;
  seen['status'] = await see(on, status, ['status', '--workspace', on.workspace]);
  seen['inventory'] = (await see(on, inventory, ['inventory', '--workspace', on.workspace])).exit;
  seen['record mode'] = (await stat(record)).mode & 0o777;
  return seen;
}

/** A run of the cell in question that claims to be chosen by the held-out half, named in every way. */
async function askSelections({ on, host, policy }: World, bundle: string): Promise<Sights> {
  const runId = path.basename(path.dirname(bundle));
  const held = heldOutBundle(bundle);
  const inside = ['plan.json', 'episodes.jsonl'].map((name) => path.join(held, name));
  const again = ['--tasks', '1', '--init-states', '20', '--policy-wait', '1'];
  const seen: Sights = {};
  for (const from of [runId, `${runId}-heldout`, held, ...inside]) {
    const told = await see(on, run, ['run', ...host, ...policy, ...again, '--selected-from', from]);
    seen[`selected from ${fair(from, on)}`] = {
      exit: told.exit,
      said: /RB43\d[^\n]*/.exec(told.text)?.[0] ?? null,
    };
  }
  return seen;
}

describe('whoever does not hold the held-out file', () => {
  it('sees the same whether a cell is held out or not', async () => {
    const is = await play(WORLDS['it is']);
    const isNot = await play(WORLDS['it is not']);
    expect(is).toEqual(isNot);
    expect(is['plan 20']).toMatchObject({ exit: 0 });
    expect(is['run']).toMatchObject({ exit: 0 });
    // A name of a cell that is not open is refused before anything is queued, in both worlds alike.
    expect(is['refused']).toMatchObject({ exit: expect.stringContaining('nothing was queued') });
    expect(is['record mode']).toBe(0o600);
  });
});

describe("a server of the job's own choice", () => {
  it('is sent no held-out cell, and its list of tasks answers no guess', async () => {
    const on = await start();
    const file = await listFile(on);
    const own = await startTargetServer({ rule: { kind: 'stub' } });
    try {
      for (const verb of [plan, run]) {
        const argv = ['--workspace', on.workspace, '--suite', 'libero_spatial', '--tasks', '0'];
        const more = ['--policy-endpoint', on.policies[0]?.endpoint ?? ''];
        const given = ['--heldout-file', file, '--target-endpoint', own.endpoint];
        const seen = await see(on, verb, [verb.name, ...argv, ...more, ...given]);
        expect(seen.exit).toContain('RB430');
        expect(seen.exit).toContain('the target that TARGETS.md names');
      }
      // The host's own address, said again, is no other one.
      const same = ['--target-endpoint', on.targetEndpoint, '--heldout-file', file];
      const argv = ['plan', '--workspace', on.workspace, '--suite', 'libero_spatial', ...same];
      expect((await see(on, plan, argv)).exit).toBe(0);
      expect(own.requests).not.toContain('target.configure_session');
    } finally {
      await own.kill();
    }
  });
});

describe('whoever holds it', () => {
  it('finds in the record of the host how many cells were asked for openly as well, once for each run', async () => {
    const on = await start();
    const { bundle, exitCode } = await runHeldOut(on, ['--tasks', '1', '--init-states', '20-21']);
    expect(exitCode).toBe(0);
    const record = path.join(on.workspace, 'artifacts/rollout-bench/.host/held-out.jsonl');
    const lines = (await readFile(record, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        runId: path.basename(path.dirname(bundle)),
        suite: 'libero_spatial',
        count: 4,
        openToo: 2,
        selectedToo: 0,
      },
    ]);
  });
});
