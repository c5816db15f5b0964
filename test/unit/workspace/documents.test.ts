import { describe, expect, it } from 'vitest';
import { contractMismatches, parseContract } from '../../../src/workspace/contracts.ts';
import type { Dialect } from '../../../src/workspace/dialect.ts';
import { renderDocument } from '../../../src/workspace/fenced-block.ts';
import { parseLog } from '../../../src/workspace/log.ts';
import { parseSessionSlice, parseSessions } from '../../../src/workspace/sessions.ts';
import { parseSkillRuntimes } from '../../../src/workspace/skillruntimes.ts';
import { parseTargets } from '../../../src/workspace/targets.ts';

const MINIMAL = 'session_id: a\n  target_ref: target://t\n  skillruntime_ref: s\n  task_description: d';

function sessions(...entries: string[]): string {
  const list =
    entries.length === 0 ? 'sessions: []\n' : `sessions:\n${entries.map((each) => `- ${each}\n`).join('')}`;
  return renderDocument('Runtime Sessions', `version: runtime_sessions_v1\n${list}`);
}

function codes(text: string, dialect?: Dialect): string[] {
  const reading = dialect === undefined ? undefined : { dialect, by: 'the test', conflict: null };
  const parsed = parseSessions(text, reading);
  return parsed.problems.map((problem) => problem.code);
}

describe('SESSIONS.md', () => {
  it('is read with the defaults of the runtime', () => {
    const parsed = parseSessions(sessions(MINIMAL));
    expect(parsed.problems).toEqual([]);
    expect(parsed.document?.sessions[0]).toMatchObject({
      sessionId: 'a',
      status: 'pending',
      targetId: 't',
      skillruntimeId: 's',
      priority: 'normal',
      executeTimeoutS: 300,
      maxPolicyCalls: 600,
      maxRetries: 0,
      updatedAtMs: null,
      verificationMode: null,
      result: { success: null, errorCode: null, metadata: {} },
    });
    expect(parsed.document?.sessions[0]?.raw).toEqual({
      session_id: 'a',
      target_ref: 'target://t',
      skillruntime_ref: 's',
      task_description: 'd',
    });
  });

  it('may be empty, without version, with unknown top-level keys', () => {
    for (const body of ['sessions: []', 'extra: 1', '# nothing']) {
      expect(parseSessions(renderDocument('X', body)).document?.sessions).toEqual([]);
    }
  });

  // Left: lines of an entry. Right: code in the strict and in the lenient dialect, null where it is accepted.
  it.each([
    [`${MINIMAL}\n  foo: 1`, 'RB205', null],
    [`${MINIMAL}\n  metadata: {}`, 'RB205', null],
    [`${MINIMAL}\n  routing: {foo: 1}`, 'RB205', 'RB205'],
    [`${MINIMAL}\n  execution: {foo: 1}`, null, null],
    [`${MINIMAL}\n  result: {foo: 1}`, null, null],
    ['session_id: a\n  target_ref: t\n  skillruntime_ref: s', 'RB206', 'RB206'],
    [MINIMAL.replace('session_id: a', 'session_id: 12345'), 'RB207', 'RB207'],
    [MINIMAL.replace('session_id: a', 'session_id: a/b'), 'RB210', null],
    [MINIMAL.replace('session_id: a', 'session_id: ..'), 'RB210', null],
    [MINIMAL.replace('session_id: a', 'session_id: "a b:ü"'), null, null],
    [MINIMAL.replace('task_description: d', 'task_description: 2026-08-03'), 'RB207', 'RB207'],
    [`${MINIMAL}\n  goal_id: 12`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  goal_id: null`, null, null],
    [`${MINIMAL}\n  status: done`, 'RB208', 'RB208'],
    [`${MINIMAL}\n  status: verifying`, null, 'RB208'],
    [`${MINIMAL}\n  priority: urgent`, 'RB208', 'RB208'],
    [`${MINIMAL}\n  routing: null`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  execution:`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  result: null`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  verification: null`, 'RB207', null],
    [`${MINIMAL}\n  verification: {mode: off}`, 'RB208', null],
    [`${MINIMAL}\n  verification: {mode: "off"}`, null, null],
    [`${MINIMAL}\n  verification: {mode: enforce}`, 'RB211', null],
    [`${MINIMAL}\n  verification: {mode: audit, goal: g, success_criteria: [x]}`, null, null],
    [`${MINIMAL}\n  verification_profile: recovery`, null, null],
    [`${MINIMAL}\n  verification_profile: recovery\n  verification: {mode: "off"}`, 'RB211', null],
    [`${MINIMAL}\n  created_at: garbage`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  created_at: 2026-08-03`, null, null],
    [`${MINIMAL}\n  execution: {max_steps: 10.5}`, 'RB207', 'RB207'],
    [`${MINIMAL}\n  execution: {max_steps: "10"}`, null, null],
    [`${MINIMAL}\n  execution: {max_steps: -1}`, null, null],
    [`${MINIMAL}\n  execution: {action_chunk_mode: other}`, 'RB208', 'RB208'],
    [`${MINIMAL}\n  result: {success: "yes", num_steps: 5.0}`, null, null],
    [`${MINIMAL}\n  replan_attempt: -1`, 'RB207', null],
    [`${MINIMAL}\n  routing: {adapter_overrides: {1: x}}`, 'RB207', 'RB207'],
    ['12', 'RB207', 'RB207'],
  ])('%j', (entry, august, june) => {
    expect(codes(sessions(entry), 'august')).toEqual(august === null ? [] : [august]);
    expect(codes(sessions(entry), 'june')).toEqual(june === null ? [] : [june]);
  });

  it.each([
    ['sessions: null', 'RB204'],
    ['sessions: {}', 'RB204'],
    ['version: runtime_sessions_v2', 'RB204'],
    ['- a', 'RB204'],
    ['sessions: [', 'RB203'],
    ['\tsessions: []', 'RB203'],
  ])('is refused as a whole for %j', (body, code) => {
    expect(codes(renderDocument('X', body))).toEqual([code]);
  });

  it('is refused without a block', () => {
    expect(codes('')).toEqual(['RB202']);
    expect(codes('```yml\nsessions: []\n```\n')).toEqual(['RB202']);
  });

  it('names entry, key, value, consequence and cure, for all problems at once', () => {
    const text = sessions(
      MINIMAL,
      `${MINIMAL.replace(': a', ': b')}\n  foo: 1\n  routing: null\n  verification: {mode: off}`,
    );
    const { document, problems } = parseSessions(text);
    expect(document).toBeNull();
    expect(problems.map(({ where, message, value }) => [where, message, value])).toEqual([
      ['SESSIONS.md sessions[1] (session_id b) routing', 'it must be a mapping.', 'null'],
      [
        'SESSIONS.md sessions[1] (session_id b) verification.mode',
        'it must be one of "off", "audit", "enforce", "recovery".',
        'false',
      ],
      [
        'SESSIONS.md sessions[1] (session_id b) foo',
        'unknown key `foo` (dialect august, by SESSIONS.md sessions[1].verification).',
        '1',
      ],
    ]);
    expect(problems[1]?.fix).toContain('quotes');
    for (const problem of problems) {
      expect(problem.consequence).toContain('refuses the whole document');
      expect(problem.severity).toBe('fatal');
    }
  });

  it('says the line of broken YAML in the file', () => {
    const { problems } = parseSessions('# T\n\n```yaml\nsessions:\n- session_id: "a\n```\n');
    expect(problems[0]?.where).toMatch(/^SESSIONS\.md line [56]$/);
  });

  it('finds ids that occur twice, and tells when they block the queue', () => {
    const done = `${MINIMAL}\n  status: succeeded`;
    const blocking = parseSessions(sessions(done, MINIMAL));
    expect(blocking.document).not.toBeNull();
    expect(blocking.problems).toMatchObject([
      { code: 'RB209', severity: 'fatal', where: 'SESSIONS.md sessions[1] (session_id a)' },
    ]);
    expect(parseSessions(sessions(done, done)).problems).toMatchObject([
      { code: 'RB209', severity: 'warning' },
    ]);
  });

  it('knows which runtime wrote it', () => {
    const stamp = "updated_at: '2026-11-29T13:18:28.793553Z'";
    const august = `${MINIMAL}\n  ${stamp}\n  verification: {mode: 'off', contract_origin: explicit}`;
    const june = `${MINIMAL}\n  ${stamp}\n  status: succeeded\n  claimed_by: runtime-watchdog@h\n  foo: dropped`;
    expect(parseSessions(sessions(august)).document?.dialect).toBe('august');
    expect(parseSessions(sessions(june)).document?.dialect).toBe('june');
    expect(parseSessions(sessions(MINIMAL)).document?.dialect).toBeNull();
    expect(parseSessions(sessions(august)).document?.sessions[0]?.updatedAtMs).toBe(
      Date.UTC(2026, 10, 29, 13, 18, 28, 793),
    );
  });

  it('reads a single entry that a scan cut out', () => {
    expect(parseSessionSlice(`- ${MINIMAL}\n`, 7).document).toMatchObject({ sessionId: 'a', index: 7 });
    expect(parseSessionSlice(`- ${MINIMAL}\n  foo: 1\n`, 7).problems[0]?.where).toBe(
      'SESSIONS.md sessions[7] (session_id a) foo',
    );
    expect(parseSessionSlice(`- ${MINIMAL}\n  foo: 1\n`, 7, 'june').document?.sessionId).toBe('a');
    expect(parseSessionSlice('- a: "', 0).problems[0]?.code).toBe('RB203');
  });
});

const TARGET = `id: libero
  target_class: remote
  target_kind: simulation
  workspace: w
  supported_skillruntimes: [pi05]
  runtime:
    target_runtime: LiberoRemoteTargetProxy
    target_endpoint: targetws://h:9002
    target_adapter: target_adapter://libero_adapter
    runtime_contract_ref: c.yaml
  config: {task_id: 0}`;

function targets(...entries: string[]): string {
  return renderDocument(
    'T',
    `version: runtime_target_registry_v1\ntargets:\n${entries.map((each) => `- ${each}\n`).join('')}`,
  );
}

describe('TARGETS.md', () => {
  it('is read', () => {
    const parsed = parseTargets(targets(TARGET));
    expect(parsed.problems).toEqual([]);
    expect(parsed.document).toMatchObject([
      {
        id: 'libero',
        targetKind: 'simulation',
        enabled: true,
        supportedSkillruntimes: ['pi05'],
        targetEndpoint: 'targetws://h:9002',
        contractRef: 'c.yaml',
        config: { task_id: 0 },
      },
    ]);
  });

  it.each([
    [`${TARGET}\n  foo: 1`, 'RB205'],
    [TARGET.replace('  workspace: w\n', ''), 'RB206'],
    [TARGET.replace('simulation', 'simulator'), 'RB208'],
    [TARGET.replace('config: {task_id: 0}', 'config: null'), 'RB207'],
    [TARGET.replace('config: {task_id: 0}', 'config: {1: a}'), 'RB207'],
    [TARGET.replace('[pi05]', '[12]'), 'RB207'],
    [`${TARGET}\n  perception: {strict_preflight: false}`, 'RB208'],
  ])('is refused for %j', (entry, code) => {
    const parsed = parseTargets(targets(entry));
    expect(parsed.document).toBeNull();
    expect(parsed.problems.map((problem) => problem.code)).toEqual([code]);
  });

  it('warns of ids that occur twice', () => {
    expect(parseTargets(targets(TARGET, TARGET)).problems).toMatchObject([
      { code: 'RB209', severity: 'warning' },
    ]);
  });
});

describe('SKILLRUNTIME.md', () => {
  const skill =
    'id: pi05\n  runtime: OpenPISkillRuntime\n  runtime_kind: policy\n  loop_mode: x\n  supported_target_kinds: [simulation]\n  policy: {policy_client: openpi, policy_adapter: a}';
  const text = (entry: string): string => renderDocument('S', `skillruntimes:\n- ${entry}\n`);

  it('is read', () => {
    expect(parseSkillRuntimes(text(skill)).document).toMatchObject([
      { id: 'pi05', kind: 'policy', supportedTargetKinds: ['simulation'], policyClient: 'openpi' },
    ]);
  });

  it.each([
    [`${skill}\n  foo: 1`, 'RB205'],
    [skill.replace('[simulation]', '[simulator]'), 'RB208'],
    [skill.replace('policy_client: openpi, ', ''), 'RB206'],
    [`${skill}\n  requires: null`, 'RB207'],
  ])('is refused for %j', (entry, code) => {
    expect(parseSkillRuntimes(text(entry)).problems.map((problem) => problem.code)).toEqual([code]);
  });
});

describe('LOG.md', () => {
  it('is read by session id', () => {
    const body =
      "version: runtime_session_history_v1\nsessions:\n  s1:\n    session_id: s1\n    status: failed\n    success: false\n    num_steps: 4\n    updated_at: '2026-11-29T13:01:20.559513+00:00'\n  s2: 12\n";
    const parsed = parseLog(renderDocument('H', body));
    expect(parsed.document?.get('s1')).toMatchObject({
      sessionId: 's1',
      status: 'failed',
      success: false,
      numSteps: 4,
      returnValue: null,
    });
    expect(parsed.problems).toMatchObject([{ code: 'RB207', severity: 'warning' }]);
  });

  it('never stops anything', () => {
    for (const text of ['', '```yaml\na: [\n```\n', '```yaml\nversion: other\n```\n']) {
      const parsed = parseLog(text);
      expect(parsed.document).toBeNull();
      expect(parsed.problems).toMatchObject([{ severity: 'warning' }]);
    }
  });
});

describe('contract files', () => {
  const contract =
    'target_id: libero\ntarget_adapter: target_adapter://libero_adapter\naction_contract:\n  id: a\n  accepted_representations: [x]\n  shape: [T, 7]\n  dtype: float32\n  normalized: false\n  frame: base\n  control_mode: c\n  control_hz: 20\n  chunk: {max_chunk_size: 50}\nsafety: {}\n';
  const target = parseTargets(targets(TARGET)).document?.[0];

  it('are compared with their target', () => {
    const parsed = parseContract(contract, 'c.yaml');
    if (parsed.document === null || target === undefined) throw new Error('both must be readable');
    expect(parsed.document).toMatchObject({ targetId: 'libero', maxChunkSize: 50 });
    expect(contractMismatches(target, parsed.document)).toEqual([]);
    const other = contractMismatches({ ...target, id: 'copy', targetAdapter: 'other' }, parsed.document);
    expect(other.map((problem) => problem.code)).toEqual(['RB220', 'RB220']);
  });

  it('are refused like the runtime refuses them', () => {
    expect(parseContract('', 'c.yaml').document).toBeNull();
    expect(parseContract('a: [', 'c.yaml').problems[0]?.code).toBe('RB221');
    expect(parseContract(contract.replace('safety: {}\n', ''), 'c.yaml').problems).toMatchObject([
      { code: 'RB206', where: 'c.yaml safety' },
    ]);
    expect(
      parseContract(`${contract.replace('safety: {}', 'safety: {stop_on_nan: false}')}`, 'c.yaml').problems[0]
        ?.code,
    ).toBe('RB208');
  });
});
