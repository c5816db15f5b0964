import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openHost } from '../../../src/app/run/open-host.ts';
import { whyRefused } from '../../../src/app/run/why-refused.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { findYamlBlock } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { isMapping } from '../../../src/workspace/shape.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function open(workspace: string): ReturnType<typeof openHost> {
  const argv = ['run', '--workspace', workspace, '--target', LIBERO_TARGET_ID];
  const { verb } = await called([...argv, '--policy-endpoint', 'openpi://127.0.0.1:1']);
  return openHost(verb.inputs);
}

describe('the preconditions of a run', () => {
  it('refuse a TARGETS.md that no cell target can be put into, before anything is written', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const { workspace } = host;
    await expect(open(workspace)).resolves.toMatchObject({ workspace });
    const file = path.join(workspace, 'TARGETS.md');
    const block = findYamlBlock(await fs.readFile(file, 'utf8'));
    if ('problem' in block) throw new Error(block.problem);
    const document = loadYaml(block.body);
    if (!isMapping(document)) throw new Error('not a mapping');
    const flow = `version: "${String(document['version'])}"\ntargets: ${JSON.stringify(document['targets'])}\n`;
    await fs.writeFile(file, `# Runtime Targets\n\n\`\`\`yaml\n${flow}\`\`\`\n`);
    // The runtime itself has nothing against it.
    expect(await whyRefused(workspace)).toBeNull();
    const before = await fs.readdir(workspace, { recursive: true });
    await expect(open(workspace)).rejects.toMatchObject({ exitCode: 3, problems: [{ code: 'RB212' }] });
    expect(await fs.readdir(workspace, { recursive: true })).toEqual(before);
  });
});

describe('whyRefused', () => {
  it('names what the runtime would refuse', async () => {
    host = await startHost({ rule: { kind: 'stub' }, startWatchdog: false });
    const file = path.join(host.workspace, 'TARGETS.md');
    const text = await fs.readFile(file, 'utf8');
    await fs.writeFile(file, text.replace(/^( *)- id: /m, '$1- colour: red\n$1  id: '));
    expect(await whyRefused(host.workspace)).toContain('colour');
  });
});
