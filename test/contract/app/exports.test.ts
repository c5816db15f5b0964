import { appendFile, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../../src/app/run.ts';
import { verifyBundle } from '../../../src/bundle/verify.ts';
import { type Host, startHost } from '../../../src/host/host.ts';
import { called } from './verb-context.ts';

let host: Host;
beforeEach(async () => {
  host = await startHost({ watchdog: { pollMs: 10 } });
});
afterEach(() => host.stop());

async function bundleWith(...more: readonly string[]): Promise<string> {
  const where = ['--workspace', host.workspace, '--policy-endpoint', host.policyEndpoint];
  const cells = ['--suite', 'libero_spatial', '--tasks', '0', '--init-states', '0-2'];
  const { verb, printed } = await called(['run', ...where, ...cells, '--json', ...more]);
  await run(verb);
  return JSON.parse(printed())['bundle-path'];
}

describe('files for other tools', () => {
  it('are in the bundle when asked for, with its own counts, and verified with it', async () => {
    const bundle = await bundleWith('--exports', 'wandb, hf-model-card');
    expect(await verifyBundle(bundle)).toEqual([]);
    const wandb = JSON.parse(await readFile(path.join(bundle, 'exports/wandb.json'), 'utf8'));
    const card = parse(await readFile(path.join(bundle, 'exports/model-index.yml'), 'utf8'));
    const { args } = card['model-index'][0].results[0].metrics[0];
    expect(args).toMatchObject({ episodes: 3, successes: wandb.log['libero_spatial/successes'] });
    await appendFile(path.join(bundle, 'exports/model-index.yml'), '# better\n');
    expect(JSON.stringify(await verifyBundle(bundle))).toContain('exports/model-index.yml');
  });

  it('are not there when nobody asked', async () => {
    const bundle = await bundleWith();
    await expect(readFile(path.join(bundle, 'exports/wandb.json'))).rejects.toThrow('ENOENT');
    expect(await verifyBundle(bundle)).toEqual([]);
  });
});
