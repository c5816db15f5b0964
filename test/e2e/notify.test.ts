import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopbackTls } from '../contract/platform/loopback-tls.ts';
import { type JobEvent, pullRequestEvent, storedPull, tagEvent } from './scenarios/events.ts';
import { Stage, tail } from './scenarios/stage.ts';

const COMMIT = 'e'.repeat(40);
const SECRET = '/services/T0/B0/nVbYtRqWcXzL';
const { key, cert } = loopbackTls();

let stage: Stage;
let server: Server;
let messages: string[];
let status: number;
beforeEach(async () => {
  stage = await Stage.open([]);
  messages = [];
  status = 200;
  server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === SECRET) messages.push(JSON.parse(Buffer.concat(chunks).toString('utf8')).text);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.close();
  await stage.close();
});

/** A report on results of another tool, with the address of the webhook in the environment of the step. */
async function report(event: JobEvent, more: Record<string, string> = {}, env: Record<string, string> = {}) {
  const folder = await stage.folder('results');
  const lines = Array.from(
    { length: 40 },
    (_, state) => `pick,${state},${state % 8 === 0 ? 'failure' : 'success'}`,
  );
  await writeFile(join(folder, 'results.csv'), `task,init_state_id,outcome\n${lines.join('\n')}\n`);
  await writeFile(join(folder, 'ca.pem'), cert);
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  const { main } = await stage.run({
    event,
    runId: 500,
    inputs: { mode: 'report', results: join(folder, 'results.csv'), suite: 'my_suite', ...more },
    settings: { notify: 'SLACK_WEBHOOK' },
    env: {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      SLACK_WEBHOOK: `https://127.0.0.1:${port}${SECRET}`,
      ...env,
    },
  });
  const { output, summary } = main;
  const shown = output.replace(/^::add-mask::.*$/gm, '');
  expect(`${shown}${summary}`).not.toContain(SECRET);
  return { output, exitCode: main.exitCode };
}

describe('a report that notifies a webhook', () => {
  it('tells it of the verdict on a release, and shows the address nowhere', async () => {
    const { output } = await report(tagEvent('v1.0.0', COMMIT), { 'min-success-rate': '95%' });
    expect(output).toContain('The webhook was told.');
    expect(messages, tail(output)).toHaveLength(1);
    const lines = messages[0]?.split('\n') ?? [];
    expect(lines[0]).toBe('acme/robots tags/v1.0.0');
    expect(lines[1]).toMatch(/Release (?:FAIL|INVALID): my_suite 87\.5% \(35\/40\)/);
    expect(lines[2]).toContain('<https://github.com/acme/robots/actions/runs/500>');
  });

  it('says so and has the same verdict when the service does not take it', async () => {
    const before = await report(tagEvent('v1.0.0', COMMIT));
    status = 500;
    const after = await report(tagEvent('v1.0.0', COMMIT));
    expect(after.output).toContain('RB915');
    expect(after.output).toContain('it answered 500');
    expect(after.exitCode).toBe(before.exitCode);
  });

  it.each([
    ['no secret is set', {}, { SLACK_WEBHOOK: '' }, 'RB914'],
    ['the secret is no https address', {}, { SLACK_WEBHOOK: 'http://127.0.0.1/x' }, 'RB914'],
  ])('says why nobody was told when %s', async (_, more, env, code) => {
    const { output } = await report(tagEvent('v1.0.0', COMMIT), more, env);
    expect(output).toContain(code);
    expect(messages).toEqual([]);
  });

  it('tells nobody of a pull request, a fork least of all', async () => {
    for (const fork of [false, true]) {
      const pull = { number: 7, headSha: COMMIT, fork };
      stage.github.conversation.pulls.push(storedPull(pull));
      const { output } = await report(pullRequestEvent(pull), { purpose: fork ? 'release' : 'auto' });
      expect(output).not.toContain('The webhook was told.');
    }
    expect(messages).toEqual([]);
  });
});
