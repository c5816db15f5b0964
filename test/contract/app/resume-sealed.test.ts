import * as fs from 'node:fs/promises';
import * as net from 'node:net';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from '../../../src/app/run.ts';
import { attemptFolder } from '../../../src/bundle/layout.ts';
import { loadBundle } from '../../../src/bundle/load-bundle.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
let line: FaultyLine | null = null;
afterEach(async () => {
  await host?.stop();
  line?.close();
  host = null;
  line = null;
});

/** A line to a policy on which everybody gets its metadata; while it is `bad`, it breaks at the first question. */
interface FaultyLine {
  bad: boolean;
  readonly endpoint: string;
  close(): void;
}

async function faultyLine(port: number): Promise<FaultyLine> {
  const server = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    let messages = 0;
    client.on('data', (data) => {
      messages += 1;
      // After the handshake.
      if (messages > 1 && self.bad) client.destroy();
      else upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const self: FaultyLine = {
    bad: true,
    endpoint: `openpi://127.0.0.1:${address.port}`,
    close: () => server.close(),
  };
  return self;
}

function commandLine(workspace: string, endpoint: string, ...more: readonly string[]): string[] {
  return [
    'run',
    ...['--workspace', workspace, '--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'],
    ...['--policy-endpoint', endpoint, '--tasks', '0', '--init-states', '0-1'],
    ...more,
  ];
}

async function onlyRun(workspace: string): Promise<string> {
  const names = await fs.readdir(path.join(workspace, 'artifacts', 'rollout-bench'));
  return names.find((name) => !name.startsWith('.')) ?? '';
}

describe('a resume of a sealed run', () => {
  it('measures what ended in a connection error once more, and says how often was measured', async () => {
    host = await startHost({ rule: { kind: 'stub' } });
    const { workspace, policies } = host;
    line = await faultyLine(policies[0]?.port ?? 0);
    const { endpoint } = line;
    expect(await run((await called(commandLine(workspace, endpoint))).verb)).not.toBe(0);
    const runId = await onlyRun(workspace);
    const first = await loadBundle(path.join(workspace, attemptFolder(runId, 1)));
    expect(first.records.map(({ outcome }) => outcome)).toEqual(['error', 'error']);
    expect(first.run.attempts).toEqual({ ofRun: 1, atCommit: null });

    line.bad = false;
    const again = await called(commandLine(workspace, endpoint, '--resume', runId));
    expect(await run(again.verb)).toBe(0);
    const second = await loadBundle(path.join(workspace, attemptFolder(runId, 2)));
    expect(second.records.every(({ outcome }) => ['success', 'failure'].includes(outcome))).toBe(true);
    expect(second.records.every(({ attempts }) => attempts.length === 3)).toBe(true);
    expect(second.run.attempts).toEqual({ ofRun: 2, atCommit: null });
    expect(again.printed()).toContain('2 attempts of this run were measured');
    // The sealed attempt is as it was.
    expect((await loadBundle(path.join(workspace, attemptFolder(runId, 1)))).records).toEqual(first.records);

    const third = await called(commandLine(workspace, endpoint, '--resume', runId));
    await expect(run(third.verb)).rejects.toThrow('its last attempt is sealed and valid');
  });
});
