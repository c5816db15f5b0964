import { afterEach, describe, expect, it } from 'vitest';
import { doctor } from '../../../src/app/doctor.ts';
import { status } from '../../../src/app/status.ts';
import { type Host, LIBERO_TARGET_ID, startHost } from '../../../src/host/host.ts';
import { keepQualification } from '../../../src/job/runs/keep-qualification.ts';
import type { Verb } from '../../../src/job/verb.ts';
import { toolFacts } from '../../../src/platform/tool-facts.ts';
import { BOUND, makeQualification } from '../../unit/qualification/qualification-builder.ts';
import { called } from './verb-context.ts';

let host: Host | null = null;
afterEach(async () => {
  await host?.stop();
  host = null;
});

async function printedBy(verb: Verb, name: string, on: Host, ...more: readonly string[]): Promise<string> {
  const call = await called([name, '--workspace', on.workspace, ...more]);
  await verb(call.verb);
  return call.printed();
}

describe('doctor and status', () => {
  it('say how fresh the qualifications of this host are, and keep quiet where there is none', async () => {
    host = await startHost({ startWatchdog: false });
    const pair = ['--target', LIBERO_TARGET_ID, '--suite', 'libero_spatial'];
    expect(await printedBy(status, 'status', host)).not.toMatch(/qualification/i);
    expect(await printedBy(doctor, 'doctor', host, ...pair)).not.toMatch(/qualification/i);
    expect(await printedBy(doctor, 'doctor', host, ...pair, '--purpose', 'release')).toMatch(
      /^ {2}qualification +none of libero_spatial: a release is refused/m,
    );

    const { skillruntime } = JSON.parse(await printedBy(doctor, 'doctor', host, ...pair, '--json')).facts;
    const qualifiedAt = new Date(Date.now() - 3.5 * 3_600_000).toISOString();
    const bound = { ...BOUND, target: LIBERO_TARGET_ID, skillruntime, tool: await toolFacts() };
    await keepQualification(host.workspace, makeQualification({ bound, qualifiedAt }), false);

    // Made up: nothing is there that would bear it out.
    const said =
      'libero_spatial does not count as qualified: what was kept 3 hours ago is not what its own evidence says (the evidence of no-motion, random, liar, wrong-width, too-slow is gone)';
    const told = await printedBy(doctor, 'doctor', host, ...pair, '--purpose', 'release');
    expect(told).toMatch(new RegExp(`^  qualification +${said.replace(/[().]/g, '\\$&')}$`, 'm'));
    expect(await printedBy(status, 'status', host)).toContain(
      `Qualification: ${said}; ${LIBERO_TARGET_ID} with ${skillruntime}\n`,
    );
    expect(JSON.parse(await printedBy(status, 'status', host, '--json'))).toMatchObject({
      qualifications: [{ suite: 'libero_spatial', qualifiedAt, byThisProgram: true }],
    });
  });
});
