import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { host as hostVerb } from '../../../../src/app/host.ts';
import type { Host } from '../../../../src/host/host.ts';
import { parseSessions } from '../../../../src/host/session-schema.ts';
import { asMap } from '../../../../src/host/wire.ts';
import { findYamlBlock } from '../../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../../src/workspace/pyyaml.ts';
import { called } from '../../app/verb-context.ts';
import { FIXTURES, type Replay, replay } from '../replay.ts';

/*
 * What the real runtime recorded, run by the service: every session ends as it did, with the same code, and an episode has
 * the same steps. Where the service differs is listed, with what it says instead.
 */
const broken = (['text', 'noactions', 'nan', 'dim8'] as const).map((how) => ({
  kind: 'broken' as const,
  how,
}));
const CASES: Readonly<Record<string, Replay>> = {
  '01-dummy-success': {},
  '02-max-steps': {},
  '03-target-disabled': { targets: (text) => text.replace('enabled: true', 'enabled: false') },
  '04-no-policy-endpoint': {},
  '05-bad-policy-endpoint': {},
  '06-unknown-target': {},
  '07-unknown-skill': {},
  '10-policy-unreachable': {},
  '11-retry-policy-unreachable': {},
  '12-priorities': {},
  '14-remote-unreachable': {},
  '18b-policy-timeout': { second: { kind: 'slow', delayMs: 3000 } },
  '19-libero-template-config-chunk-limit': {},
  '20-libero-same-target-two-tasks': {},
  '21-libero-derived-target-shared-contract': {},
  '22-libero-derived-targets-own-contract': {},
  '24-libero-other-routes': {},
  '27-libero-bad-ids': {},
  '28-libero-sticky-config-and-server-max-steps': {},
  '50-cancelled-while-pending': {},
  '87-policy-and-step-faults': { others: broken },
  '88-libero-max-steps': {},
};

type End = readonly [id: string, status: string, code: string | null, steps: number | null];

function endsOf(text: string): readonly End[] {
  const block = findYamlBlock(text);
  if ('problem' in block) throw new Error(block.problem);
  const { sessions } = parseSessions(asMap(loadYaml(block.body)) ?? {}, 'august');
  return sessions.map(({ session_id: id, status, result }): End => {
    return [id, status, result.error_code ?? null, result.num_steps ?? null];
  });
}

async function serve({ workspace }: Host): Promise<void> {
  const { verb } = await called(['host', '--workspace', workspace, '--once']);
  expect(await hostVerb(verb)).toBe(0);
}

let workspace = '';

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'service-captures-'));
});

afterEach(() => {
  rmSync(workspace, { recursive: true, force: true });
});

describe('for the recorded input the service gives every session its recorded end', () => {
  it.each(Object.entries(CASES))('%s', async (name, spec) => {
    await replay(name, { ...spec, instead: serve }, workspace);
    const written = readFileSync(join(workspace, 'SESSIONS.md'), 'utf8');
    const recorded = readFileSync(join(FIXTURES, name, 'SESSIONS.after.md'), 'utf8');
    expect(endsOf(written)).toEqual(endsOf(recorded));
  });
});
