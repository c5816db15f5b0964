import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineWorkspace } from '../../../src/app/doctor/check-workspace.ts';
import { withLane } from '../../../src/app/doctor/lane-problems.ts';
import { doctorText } from '../../../src/app/doctor.ts';
import type { Problem } from '../../../src/errors/rb-error.ts';
import type { Dialect } from '../../../src/workspace/dialect.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';

const NOW = Date.UTC(2026, 10, 29, 16, 0, 0);

const target = {
  id: 'libero',
  target_class: 'remote',
  target_kind: 'simulation',
  workspace: 'w',
  supported_skillruntimes: ['pi05'],
  runtime: {
    target_runtime: 'LiberoRemoteTargetProxy',
    target_endpoint: 'targetws://127.0.0.1:9002',
    target_adapter: 'target_adapter://libero_adapter',
    runtime_contract_ref: 'configs/libero.runtime.yaml',
  },
  config: {
    benchmark_name: 'libero_spatial',
    camera_height: 256,
    camera_width: 256,
    max_steps: 220,
    num_steps_wait: 10,
    policy_endpoint: 'openpi://127.0.0.1:8000',
    action: { max_chunk_size: 50 },
  },
};
const skill = {
  id: 'pi05',
  runtime: 'OpenPISkillRuntime',
  runtime_kind: 'policy',
  loop_mode: 'policy_closed_loop',
  supported_target_kinds: ['simulation'],
  policy: { policy_client: 'openpi', policy_adapter: 'policy_adapter://openpi_pi05_adapter' },
};
const session = { session_id: 'a', target_ref: 'libero', skillruntime_ref: 'pi05', task_description: 'd' };
const contract = {
  target_id: 'libero',
  target_adapter: 'target_adapter://libero_adapter',
  action_contract: {
    id: 'a',
    accepted_representations: ['delta'],
    shape: ['T', 7],
    dtype: 'float32',
    normalized: false,
    frame: 'base',
    control_mode: 'c',
    control_hz: 20,
  },
  safety: {},
};

let workspace: string;

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'rb-doctor-'));
  mkdirSync(join(workspace, 'configs'));
  writeTargets([target]);
  write('SKILLRUNTIME.md', renderDocument('S', dumpYaml({ skillruntimes: [skill] })));
  writeSessions([]);
  write('configs/libero.runtime.yaml', dumpYaml(contract));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

function write(file: string, text: string): void {
  writeFileSync(join(workspace, file), text);
}
function writeTargets(targets: readonly object[]): void {
  write('TARGETS.md', renderDocument('T', dumpYaml({ version: 'runtime_target_registry_v1', targets })));
}
function writeSessions(sessions: readonly object[]): void {
  write(
    'SESSIONS.md',
    renderDocument('Runtime Sessions', dumpYaml({ version: 'runtime_sessions_v1', sessions })),
  );
}

async function check(
  options: { searchPath?: string; target?: string; dialect?: Dialect } = {},
): Promise<readonly Problem[]> {
  const { problems } = await examineWorkspace(workspace, {
    target: options.target ?? null,
    dialect: options.dialect ?? null,
    skillruntime: null,
    suites: null,
    policyEndpoint: null,
    targetEndpoint: null,
    runner: null,
    nowMs: NOW,
    searchPath: options.searchPath ?? '/usr/bin:/bin',
  });
  return problems;
}

function textOf(problems: readonly Problem[]): string {
  return doctorText({ workspace: '/w', facts: null, problems }, NOW);
}

function found(problems: readonly Problem[]): string[] {
  return problems.map(({ code, severity }) => `${code} ${severity}`);
}

describe('the doctor', () => {
  it('takes no cell target for a left-over while a run measures, and says that a run would wait', async () => {
    writeTargets([target, { ...target, id: 'libero--rb-89abcdef' }]);
    const holder = { runId: 'r1', pid: 7, since: '2026-11-29T15:00:00Z' };
    const problems = await check();
    expect(found(problems)).toContain('RB226 warning');
    const idle = { held: false, holder, waiting: [] };
    expect(withLane(problems, idle)).toEqual(problems);
    const busy = withLane(problems, { ...idle, held: true });
    expect(found(busy)).toEqual(['RB401 warning']);
    expect(textOf(busy)).toMatch(/run r1 \(process 7\) holds it since[\s\S]*a run waits for its turn/);
  });

  it('finds nothing in a sound workspace and changes nothing', async () => {
    const before = readdirSync(workspace).map((name) => [name, statOf(name)]);
    const problems = await check();
    expect(problems).toEqual([]);
    expect(readdirSync(workspace).map((name) => [name, statOf(name)])).toEqual(before);
    expect(textOf(problems)).toContain('Nothing was found');
  });

  function statOf(name: string): string {
    return name === 'configs' ? 'folder' : readFileSync(join(workspace, name), 'utf8');
  }

  it('names missing files and a missing folder', async () => {
    rmSync(join(workspace, 'SESSIONS.md'));
    rmSync(join(workspace, 'SKILLRUNTIME.md'));
    expect(found(await check())).toEqual(['RB201 fatal', 'RB201 fatal']);
    rmSync(join(workspace, 'TARGETS.md'));
    // A folder that is no workspace is one problem, not one for each file.
    expect(await check()).toMatchObject([{ code: 'RB233', severity: 'fatal', where: workspace }]);
    rmSync(workspace, { recursive: true });
    expect(found(await check())).toEqual(['RB231 fatal']);
  });

  it('names the entry and the key that the runtime refuses', async () => {
    writeSessions([session, { ...session, session_id: 'b', foo: 1 }]);
    const problems = await check();
    expect(problems).toMatchObject([
      { code: 'RB205', severity: 'fatal', where: 'SESSIONS.md sessions[1] (session_id b) foo', value: '1' },
    ]);
    const text = textOf(problems);
    expect(text).toContain('STOPS  RB205  SESSIONS.md sessions[1] (session_id b) foo');
    expect(text).toMatch(
      /Found: 1\n {7}Consequence: .*refuses the whole document.*\n {7}Cure: Say which runtime/,
    );
    expect(text).toContain('1 problem would stop a benchmark, 0 problems could mislead it');
  });

  it('queues nothing where keys of two dialects stand side by side, until one is named', async () => {
    writeTargets([{ ...target, benchmark_capabilities: [] }]);
    writeSessions([{ ...session, verification: { mode: 'off' } }]);
    expect(found(await check())).toContain('RB235 fatal');
    writeSessions([session]);
    expect(found(await check())).toEqual([]);
    expect(found(await check({ dialect: 'august' }))).toEqual(['RB205 fatal']);
  });

  it('says once that a workspace of May is not supported', async () => {
    writeSessions([{ session_id: 'a', target_ref: 't', skill_ref: 's', task_description: 'd' }]);
    expect(found(await check())).toEqual(['RB234 fatal']);
  });

  it('finds ids that occur twice', async () => {
    writeSessions([{ ...session, status: 'succeeded' }, session]);
    expect(found(await check())).toEqual(['RB209 fatal']);
  });

  it('finds the chunk trap, settings that targets inherit and an unset camera size', async () => {
    const { max_steps: _steps, camera_width: _width, action: _action, ...config } = target.config;
    writeTargets([{ ...target, config: { ...config, max_chunk_size: 50 } }]);
    expect(found(await check()).sort()).toEqual(['RB310 warning', 'RB311 warning', 'RB312 warning']);
  });

  it('finds contracts that are missing, do not match or cannot be read', async () => {
    writeTargets([target, { ...target, id: 'copy', supported_skillruntimes: [] }]);
    expect(await check()).toMatchObject([
      { code: 'RB220', severity: 'warning', where: 'configs/libero.runtime.yaml target_id' },
    ]);
    writeTargets([target]);
    write('configs/libero.runtime.yaml', dumpYaml({ ...contract, target_adapter: 'other' }));
    expect(found(await check())).toEqual(['RB220 fatal']);
    write('configs/libero.runtime.yaml', dumpYaml({ ...contract, safety: undefined }));
    expect(found(await check())).toEqual(['RB206 fatal']);
    rmSync(join(workspace, 'configs/libero.runtime.yaml'));
    expect(found(await check())).toEqual(['RB221 fatal']);
    symlinkSync('/etc/hostname', join(workspace, 'configs/libero.runtime.yaml'));
    expect(found(await check())).toEqual(['RB213 fatal']);
  });

  it('does not say that nothing would stop a run which is refused for want of a choice', async () => {
    writeTargets([
      target,
      { ...target, id: 'other', config: { ...target.config, benchmark_name: 'libero_goal' } },
    ]);
    const problems = (await check()).filter(({ code }) => code === 'RB303');
    expect(textOf(problems)).toMatch(/GIVE {3}RB303[\s\S]*Name a suite that only one of the targets/);
    expect(textOf(problems)).toContain('A run with these inputs is refused');
    expect(textOf(problems)).not.toContain('Nothing was found that would stop');
  });

  it('says when there is nothing to benchmark, and when the choice is open', async () => {
    writeTargets([{ ...target, enabled: false }]);
    expect(found(await check())).toEqual(['RB300 fatal']);
    writeTargets([{ ...target, supported_skillruntimes: ['gone'] }]);
    expect(found(await check()).sort()).toEqual(['RB230 warning', 'RB307 fatal']);
    expect(found(await check({ target: 'nobody' }))).toContain('RB301 fatal');
  });

  it('does not call a missing policy endpoint fatal, which a run can be given', async () => {
    const { policy_endpoint: _endpoint, ...config } = target.config;
    writeTargets([{ ...target, config }]);
    const problems = await check();
    expect(found(problems)).toEqual(['RB308 warning']);
    // Nor does it say that nothing would stop a run, or that something misleads one.
    expect(textOf(problems)).toMatch(
      /GIVE {3}RB308[\s\S]*A run with these inputs is refused: .*what RB308 asks for/,
    );
    expect(textOf(problems)).not.toContain('could mislead it');
  });

  it('finds left-over sessions and cell targets', async () => {
    const stamp = new Date(NOW - 3_600_000).toISOString();
    writeSessions([
      { ...session, status: 'preflight_checking', updated_at: stamp },
      { ...session, session_id: 'b', target_ref: 'target://libero--rb-01234567' },
    ]);
    writeTargets([
      target,
      { ...target, id: 'libero--rb-01234567' },
      { ...target, id: 'libero--rb-89abcdef' },
    ]);
    const problems = await check();
    expect(problems).toMatchObject([
      { code: 'RB225', severity: 'warning', where: 'SESSIONS.md a', value: 'preflight_checking' },
      { code: 'RB226', severity: 'warning', value: 'libero--rb-89abcdef' },
    ]);
  });

  it('tells what the size of SESSIONS.md and LOG.md costs', async () => {
    const entries = Array.from({ length: 500 }, (_each, index) => {
      return { ...session, session_id: `s${index}`, status: 'succeeded', goal_id: 'x'.repeat(400) };
    });
    writeSessions(entries);
    const history = Object.fromEntries(entries.map((each) => [each.session_id, { note: 'x'.repeat(900) }]));
    write(
      'LOG.md',
      renderDocument('H', dumpYaml({ version: 'runtime_session_history_v1', sessions: history })),
    );
    const problems = await check();
    expect(found(problems)).toEqual(['RB229 warning', 'RB228 warning']);
    expect(problems[0]?.message).toMatch(/500 entries \(500 finished\) cost the runtime about \d+ s/);
  });

  it('finds a TARGETS.md it could not edit, files that are links and missing lock programs', async () => {
    write('TARGETS.md', renderDocument('T', JSON.stringify({ targets: [target] })));
    expect(found(await check())).toEqual(['RB212 fatal']);
    writeTargets([target]);
    const elsewhere = join(workspace, 'configs', 'SESSIONS.md');
    writeFileSync(elsewhere, readFileSync(join(workspace, 'SESSIONS.md')));
    rmSync(join(workspace, 'SESSIONS.md'));
    symlinkSync(elsewhere, join(workspace, 'SESSIONS.md'));
    expect(new Set(found(await check()))).toEqual(new Set(['RB213 fatal']));
    rmSync(join(workspace, 'SESSIONS.md'));
    writeSessions([]);
    expect(found(await check({ searchPath: workspace }))).toEqual(['RB217 fatal']);
    symlinkSync(tmpdir(), join(workspace, 'artifacts'));
    symlinkSync(join(workspace, 'lock'), join(workspace, 'SESSIONS.md.lock'));
    expect(found(await check())).toEqual(['RB213 fatal', 'RB213 fatal']);
  });

  it('warns of a LOG.md that the runtime would forget', async () => {
    write('LOG.md', 'no block');
    expect(found(await check())).toEqual(['RB202 warning']);
  });
});
