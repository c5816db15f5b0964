/**
 * A policy server as a command starts it, with faults on wish. Argument: one JSON object, see `ChildWishes`; the port is
 * that of the environment.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { startPolicyServer } from '../../../src/host/policy-server.ts';

export interface ChildWishes {
  readonly metadata?: Readonly<Record<string, string>>;
  /** 0 to 1; left out: a good policy. */
  readonly skill?: number;
  readonly say?: string;
  readonly bindAfterMs?: number;
  /** Listens there instead of at PORT. */
  readonly otherPort?: boolean;
  readonly answerText?: boolean;
  readonly ignoreTerm?: boolean;
  /** Ends itself when it is asked these questions, counted over all starts in this file, or every time it is asked. */
  readonly dieAt?: { readonly file: string; readonly questions: readonly number[] | 'every' };
  readonly eatMemory?: boolean;
  readonly sayEnvironment?: boolean;
  /** Starts itself in a session of its own, with this and no other variable, and ends. */
  readonly detach?: 'with marker' | 'same group, no marker' | 'port alone';
}

// Written by the test that starts this process.
const wishes = JSON.parse(process.argv[2] ?? '{}') as ChildWishes;
const port = Number(process.env['PORT']);

if (wishes.detach !== undefined) {
  const keepsMarker = wishes.detach === 'with marker';
  const { detach: _done, ...rest } = wishes;
  spawn(process.execPath, [process.argv[1] ?? '', JSON.stringify(rest)], {
    detached: wishes.detach !== 'same group, no marker',
    stdio: 'ignore',
    env: keepsMarker ? process.env : { PORT: String(port) },
  }).unref();
  process.exit(0);
}
if (wishes.ignoreTerm === true) process.on('SIGTERM', () => undefined);
if (wishes.say !== undefined) process.stdout.write(`${wishes.say}\n`);
if (wishes.sayEnvironment === true) {
  process.stdout.write(`${JSON.stringify(process.env)}\n`);
  process.stdout.write(`${readFileSync(`/proc/${process.ppid}/environ`, 'utf8').split('\0').join('\n')}\n`);
}
if (wishes.eatMemory === true) {
  const eaten: number[][] = [];
  for (;;) eaten.push(new Array<number>(100_000).fill(eaten.length + 0.5));
}
if (wishes.bindAfterMs !== undefined) {
  process.stdout.write('loading the checkpoint\n');
  await new Promise((resolve) => setTimeout(resolve, wishes.bindAfterMs));
}
if (wishes.answerText === true) {
  createServer((_, response) => response.end('Internal Server Error')).listen(port, '127.0.0.1');
} else {
  const skill = wishes.skill === undefined ? {} : { mode: { kind: 'bad', skill: wishes.skill } as const };
  const metadata = wishes.metadata ?? { model: 'child' };
  const server = await startPolicyServer({ port: wishes.otherPort === true ? 0 : port, metadata, ...skill });
  process.stdout.write(`serving at ${server.endpoint}\n`);
  if (wishes.dieAt !== undefined) dieIn(wishes.dieAt, server);
}
function dieIn(
  { file, questions }: NonNullable<ChildWishes['dieAt']>,
  server: Awaited<ReturnType<typeof startPolicyServer>>,
): void {
  let seen = 0;
  setInterval(() => {
    const fresh = server.prompts.length - seen;
    if (fresh === 0) return;
    seen += fresh;
    const before = countIn(file);
    const now = before + fresh;
    writeFileSync(file, String(now));
    const dies = questions === 'every' || questions.some((at) => at > before && at <= now);
    if (!dies) return;
    process.stdout.write(`CUDA error in question ${now}\n`);
    process.exit(3);
  }, 1);
}

function countIn(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    // The first start.
    return 0;
  }
}
