import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readingText } from '../../../src/workspace/dialect.ts';
import { findDialect, type RawDocuments, signOfMay } from '../../../src/workspace/find-dialect.ts';
import { readMapping } from '../../../src/workspace/runtime-document.ts';
import { parseSessions } from '../../../src/workspace/sessions.ts';
import { parseSkillRuntimes } from '../../../src/workspace/skillruntimes.ts';
import { parseTargets } from '../../../src/workspace/targets.ts';

const JULY = new URL('../../../fixtures/july/', import.meta.url);
const RUNTIME = new URL('../../../fixtures/runtime/', import.meta.url);

function text(folder: URL, file: string): string {
  return readFileSync(new URL(file, folder), 'utf8');
}

function raw(folder: URL, file: string): Record<string, unknown> {
  const read = readMapping(text(folder, file), file);
  if ('problem' in read) throw new Error(read.problem.message);
  return read.raw;
}

const CAPTURES = [
  'D01-policy-loop',
  'D02-policy-loop-errors',
  'D03-preflight-rejections',
  'D03b-target-without-capabilities',
  'D04-target-native-success',
  'D07-target-native-timeout',
  'D12-verification-disabled',
  'D13-policy-loop-awaiting-verification',
  'D14-verifying',
  'D15-verified-and-replanned',
];

describe('the July dialect', () => {
  it.each(CAPTURES)('is read without a complaint as its runtime left it: %s', (name) => {
    const folder = new URL(`${name}/`, JULY);
    for (const { document, problems } of [
      parseTargets(text(folder, 'TARGETS.md')),
      parseSkillRuntimes(text(folder, 'SKILLRUNTIME.md')),
      parseSessions(text(folder, 'SESSIONS.after.md')),
    ]) {
      expect(problems).toEqual([]);
      expect(document).not.toBeNull();
    }
    expect(parseSessions(text(folder, 'SESSIONS.after.md')).document?.dialect).toBe('july');
  });

  it('is told by the registries alone, before any session has run', () => {
    const folder = new URL('D01-policy-loop/', JULY);
    expect(findDialect({ targets: raw(folder, 'TARGETS.md') })).toEqual({
      dialect: 'july',
      by: 'TARGETS.md targets[0].benchmark_capabilities',
      conflict: null,
    });
    expect(findDialect({ skillruntimes: raw(folder, 'SKILLRUNTIME.md') }).by).toBe(
      'SKILLRUNTIME.md skillruntimes[0].benchmark',
    );
  });

  it('refuses a block without its mode, as the runtime does', () => {
    const { problems } = parseSessions(text(new URL('D09-document-refused/', JULY), 'SESSIONS.after.md'));
    expect(problems).toMatchObject([
      { code: 'RB206', where: 'SESSIONS.md sessions[1] (session_id x) benchmark.execution_mode' },
    ]);
  });

  it('is neither June nor August where those left the documents', () => {
    for (const [name, dialect] of [
      ['22-libero-derived-targets-own-contract', 'august'],
      ['22-libero-derived-targets-own-contract-jun', 'june'],
    ] as const) {
      const folder = new URL(`${name}/`, RUNTIME);
      expect(findDialect({ sessions: raw(folder, 'SESSIONS.after.md') }).dialect).toBe(dialect);
    }
  });
});

const stamped = { updated_at: 'x', session_id: 'a', status: 'succeeded' };
const august = { ...stamped, verification: { contract_origin: 'explicit' } };
const july = {
  ...stamped,
  replan_attempt: 0,
  verification_profile: 'strict',
  execution: { reset_policy: 'session_runner' },
};
const june = { ...stamped, claimed_by: 'w' };
const block = { session_id: 'b', benchmark: { execution_mode: 'policy_loop' } };
const capable = { targets: [{ benchmark_capabilities: [] }] };

describe('which dialect a workspace speaks', () => {
  it.each<[RawDocuments, string | null]>([
    [{}, null],
    [{ sessions: { sessions: [{ session_id: 'a' }] } }, null],
    [{ sessions: { sessions: [june] } }, 'june'],
    [{ sessions: { sessions: [july, june] } }, 'july'],
    [{ sessions: { sessions: [block] } }, 'july'],
    // What the runtime wrote decides before what a person wrote.
    [{ sessions: { sessions: [august, block] }, targets: capable }, 'august'],
    [{ sessions: { sessions: [july, { session_id: 'c', verification: {} }] } }, 'july'],
  ])('%j: %s', (documents, dialect) => {
    expect(findDialect(documents)).toMatchObject({ dialect, conflict: null });
  });

  it.each<[RawDocuments]>([
    [{ sessions: { sessions: [august, july] } }],
    [{ sessions: { sessions: [june] }, targets: capable }],
    [{ sessions: { sessions: [{ session_id: 'c', verification: {} }] }, targets: capable }],
  ])('is open where signs contradict each other: %j', (documents) => {
    const reading = findDialect(documents);
    expect(reading).toMatchObject({ dialect: null, by: null });
    expect(reading.conflict).toMatch(/ dialect, .* dialect$/);
    expect(readingText(reading)).toContain('say it with `dialect`');
  });

  it('is what the user says, whatever the keys are', () => {
    expect(findDialect({ sessions: { sessions: [august] } }, 'july').dialect).toBe('july');
  });

  it('sees the runtime of May by its names', () => {
    expect(signOfMay({}, true)).toContain('SKILLS.md');
    expect(signOfMay({ sessions: { sessions: [{ skill_ref: 'skill://x' }] } }, false)).toBe(
      'SESSIONS.md sessions[0].skill_ref',
    );
    expect(signOfMay({ targets: { targets: [{ supported_skills: [] }] } }, false)).toBe(
      'TARGETS.md targets[0].supported_skills',
    );
    expect(signOfMay({ sessions: { sessions: [july] } }, false)).toBeNull();
  });
});

const TARGETS = text(new URL('D01-policy-loop/', JULY), 'TARGETS.md');

describe('RB205', () => {
  it('names the dialect and what told it, and whose key it is', () => {
    const reading = {
      dialect: 'august',
      by: 'SESSIONS.md sessions[0].verification',
      conflict: null,
    } as const;
    const [problem] = parseTargets(TARGETS, reading).problems;
    expect(problem).toMatchObject({
      code: 'RB205',
      message:
        'unknown key `benchmark_capabilities` (dialect august, by SESSIONS.md sessions[0].verification).',
    });
    expect(problem?.fix).toMatch(
      /^`benchmark_capabilities` is a key of the July dialect\. When .*`dialect: july`/,
    );
  });

  it('advises to remove nothing while the dialect is unknown', () => {
    const [problem] = parseSessions(
      '```yaml\nsessions:\n- {session_id: a, target_ref: t, skillruntime_ref: s, task_description: d, foo: 1}\n```\n',
    ).problems;
    expect(problem?.code).toBe('RB205');
    expect(problem?.message).toContain('cannot be told');
    expect(problem?.fix).toMatch(/^Say which runtime it is before anything is removed/);
    expect(problem?.fix).not.toMatch(/Remove it/);
  });
});
