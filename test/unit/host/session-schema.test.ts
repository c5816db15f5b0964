import { describe, expect, it } from 'vitest';
import { type Dialect, mayMove, parseSessions } from '../../../src/host/session-schema.ts';
import { PyFloat, PyTimestamp } from '../../../src/workspace/pyyaml.ts';

const MINIMAL = { session_id: 'a', target_ref: 't', skillruntime_ref: 's', task_description: 'd' };

function accepts(entry: Record<string, unknown>, dialect: Dialect): boolean {
  try {
    parseSessions({ sessions: [{ ...MINIMAL, ...entry }] }, dialect);
    return true;
  } catch {
    return false;
  }
}

/** [what, keys of the entry, accepted in August, accepted in June]; measured on both runtimes (runtime-protocol 4.3). */
const ACCEPTANCE: readonly (readonly [string, Record<string, unknown>, boolean, boolean])[] = [
  ['minimal', {}, true, true],
  ['priority urgent', { priority: 'urgent' }, false, false],
  ['routing null', { routing: null }, false, false],
  ['execution null', { execution: null }, false, false],
  ['retry null', { retry: null }, false, false],
  ['verification null', { verification: null }, false, true],
  ['created_at garbage', { created_at: 'soon' }, false, false],
  ['created_at date', { created_at: new PyTimestamp('2026-08-03') }, true, true],
  ['max_steps 10.5', { execution: { max_steps: 10.5 } }, false, false],
  ["max_steps '10'", { execution: { max_steps: '10' } }, true, true],
  ['max_steps negative', { execution: { max_steps: -1 } }, true, true],
  ['goal_id number', { goal_id: 3 }, false, false],
  ['goal_id null', { goal_id: null }, true, true],
  ['horizon medium', { horizon: 'medium' }, false, false],
  ['empty description', { task_description: '' }, true, true],
  ['session_id with blanks around', { session_id: '  a  ' }, true, true],
  ['session_id with blanks inside and Unicode', { session_id: 'a b:ü' }, true, true],
  ["session_id '..'", { session_id: '..' }, false, true],
  ['session_id with a slash', { session_id: 'a/b' }, false, true],
  ['session_id number', { session_id: 12 }, false, false],
  ['session_id 300 characters', { session_id: 'a'.repeat(300) }, true, true],
  ['action_chunk_mode other', { execution: { action_chunk_mode: 'other' } }, false, false],
  ["success 'yes'", { result: { success: 'yes' } }, true, true],
  ['num_steps 5.0', { result: { num_steps: new PyFloat(5) } }, true, true],
  ['result unknown key', { result: { colour: 'red' } }, true, true],
  ['result null', { result: null }, false, false],
  ['routing unknown key', { routing: { colour: 'red' } }, false, false],
  ['unknown key', { colour: 'red' }, false, true],
  ['metadata', { metadata: {} }, false, true],
  ['unknown key in verification', { verification: { foo: 1 } }, false, true],
  ['mode off as a boolean', { verification: { mode: false } }, false, true],
  ['mode enforce without goal', { verification: { mode: 'enforce' } }, false, true],
  ['replan_attempt', { replan_attempt: 1 }, true, true],
  ['parent_session_id', { parent_session_id: 'p' }, true, true],
  ['adapter_overrides {}', { routing: { adapter_overrides: {} } }, true, true],
  ['target_ref null', { target_ref: null }, false, false],
  ['status done', { status: 'done' }, false, false],
  ['status replanned', { status: 'replanned' }, true, false],
];

describe('which entries the runtime takes', () => {
  it.each(ACCEPTANCE)('%s', (_what, entry, august, june) => {
    expect({ august: accepts(entry, 'august'), june: accepts(entry, 'june') }).toEqual({ august, june });
  });

  it('a document may lack its version, but not have another or a null list', () => {
    expect(parseSessions({}, 'august')).toEqual({ version: 'runtime_sessions_v1', sessions: [] });
    expect(() => parseSessions({ version: 'v2' }, 'june')).toThrow();
    expect(() => parseSessions({ sessions: null }, 'june')).toThrow();
    expect(parseSessions({ other: 1 }, 'june').sessions).toEqual([]);
  });
});

describe('what becomes of an entry', () => {
  const only = (entry: Record<string, unknown>, dialect: Dialect = 'august') =>
    parseSessions({ sessions: [{ ...MINIMAL, ...entry }] }, dialect).sessions[0];

  it('August trims the id, June keeps it', () => {
    expect(only({ session_id: '  a  ' })?.session_id).toBe('a');
    expect(only({ session_id: '  a  ' }, 'june')?.session_id).toBe('  a  ');
  });

  it('defaults are filled in', () => {
    const session = only({});
    expect(session?.priority).toBe('normal');
    expect(session?.execution.max_steps).toBe(600);
    expect(session?.timeouts.execute_timeout_s).toEqual(new PyFloat(300));
    expect(session?.verification?.mode).toBe('off');
    expect(only({}, 'june')).not.toHaveProperty('verification');
  });

  it('moments keep their offset, and UTC is written Z', () => {
    const text = '2026-08-03T10:00:00.123456+02:00';
    expect(only({ created_at: new PyTimestamp(text) })?.created_at).toBe(text);
    expect(only({ created_at: '2026-08-03 10:00:00+00:00' })?.created_at).toBe('2026-08-03T10:00:00Z');
    expect(only({ created_at: new PyTimestamp('2026-08-03') })?.created_at).toBe('2026-08-03T00:00:00');
  });

  it('the old one-word verification becomes a contract', () => {
    expect(only({ verification_profile: 'strict' })?.verification).toMatchObject({
      mode: 'off',
      contract_origin: 'legacy',
    });
    expect(only({ verification_profile: 'audit' })?.verification).toMatchObject({ mode: 'audit', goal: 'd' });
    expect(accepts({ verification_profile: 'audit', verification: { mode: 'off' } }, 'august')).toBe(false);
  });
});

describe('transitions', () => {
  it('go forward only, and never out of an end', () => {
    expect(mayMove('pending', 'claimed')).toBe(true);
    expect(mayMove('running', 'finalizing')).toBe(true);
    expect(mayMove('cancelling', 'failed')).toBe(true);
    expect(mayMove('cancelled', 'failed')).toBe(false);
    expect(mayMove('succeeded', 'pending')).toBe(false);
    expect(mayMove('pending', 'running')).toBe(false);
    expect(mayMove('running', 'running')).toBe(true);
  });
});
