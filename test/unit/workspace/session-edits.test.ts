import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RbError } from '../../../src/errors/rb-error.ts';
import { dumpYaml } from '../../../src/workspace/dump-yaml.ts';
import { findYamlBlock, renderDocument } from '../../../src/workspace/fenced-block.ts';
import { loadYaml } from '../../../src/workspace/pyyaml.ts';
import { appendSessions, removeSessions } from '../../../src/workspace/session-edits.ts';
import { scanSessions, sliceField } from '../../../src/workspace/session-scan.ts';
import { foreignSessions, ourSession } from './session-samples.ts';

function parsed(text: string): unknown {
  const block = findYamlBlock(text);
  if ('problem' in block) throw new Error(block.problem);
  return loadYaml(block.body);
}

function scanned(text: string): [string, string][] {
  const scan = scanSessions(text);
  if ('problem' in scan) throw new Error(scan.problem);
  return scan.slices.map((slice) => [slice.sessionId, slice.status]);
}

const EMPTY = renderDocument('Runtime Sessions', 'version: runtime_sessions_v1\nsessions: []\n');
const RUNTIME = `# Runtime Sessions

\`\`\`yaml
version: runtime_sessions_v1
sessions:
- session_id: s_1
  target_ref: dummy_sim
  task_description: 'long text that goes on past eighty columns: pick up the black
    bowl between the plate'
  verification:
    mode: 'off'
    success_criteria: []
  status: succeeded
  updated_at: '2026-11-29T13:18:28.793553Z'
  runtime_hints:
    perception_queries:
    - a: null
      status: running
    force_environment_refresh: false
  result:
    status: succeeded
- session_id: '2'
  target_ref: target://dummy_sim
  task_description: "line one\\nline two \\n"
  status: pending
\`\`\`
`;

describe('cutting SESSIONS.md without parsing it', () => {
  it('finds ids and states of a document the runtime wrote', () => {
    expect(scanned(RUNTIME)).toEqual([
      ['s_1', 'succeeded'],
      ['2', 'pending'],
    ]);
    expect(scanned(EMPTY)).toEqual([]);
  });

  it('gives slices that parse as one entry each', () => {
    const scan = scanSessions(RUNTIME);
    if ('problem' in scan) throw new Error(scan.problem);
    const whole = parsed(RUNTIME);
    expect(scan.slices.map((slice) => loadYaml(RUNTIME.slice(slice.start, slice.end)))).toEqual(
      // The sample is known to have this shape.
      (whole as { sessions: unknown[] }).sessions.map((entry) => [entry]),
    );
  });

  it('reads other fields of an entry', () => {
    const scan = scanSessions(RUNTIME);
    if ('problem' in scan) throw new Error(scan.problem);
    const [first, second] = scan.slices.map((slice) => ({ ...slice, indent: scan.indent }));
    if (first === undefined || second === undefined) throw new Error('two entries expected');
    expect(sliceField(RUNTIME, first, 'target_ref')).toBe('dummy_sim');
    expect(sliceField(RUNTIME, first, 'updated_at')).toBe('2026-11-29T13:18:28.793553Z');
    expect(sliceField(RUNTIME, first, 'task_description')).toBeNull();
    expect(sliceField(RUNTIME, second, 'updated_at')).toBeUndefined();
  });

  it.each([
    ['another first key', '- status: pending\n  session_id: a\n'],
    ['a later entry with another first key', '- session_id: a\n- status: pending\n  session_id: b\n'],
    ['flow style', '- {session_id: a}\n'],
    ['a numeric id', '- session_id: 12\n'],
    ['an id that is a word for a boolean', '- session_id: off\n'],
    ['an id on two lines', '- session_id: a\n    b\n  status: pending\n'],
  ])('refuses %s', (_name, body) => {
    const text = renderDocument('Runtime Sessions', `version: runtime_sessions_v1\nsessions:\n${body}`);
    expect(scanSessions(text)).toHaveProperty('problem');
  });

  it('stops where the list ends', () => {
    const text = renderDocument('X', 'sessions:\n  - session_id: a\n    status: running\nextra: 1\n');
    expect(scanned(text)).toEqual([['a', 'running']]);
  });

  it('agrees with the parser on arbitrary entries', () => {
    fc.assert(
      fc.property(foreignSessions, (sessions) => {
        const text = renderDocument(
          'Runtime Sessions',
          dumpYaml({ version: 'runtime_sessions_v1', sessions }),
        );
        expect(scanned(text)).toEqual(sessions.map((entry) => [entry.session_id, entry.status]));
      }),
      { numRuns: 300 },
    );
  });
});

describe('editing SESSIONS.md', () => {
  it('appends to an empty list and takes out again', () => {
    const added = appendSessions(EMPTY, [ourSession('rb-1')]);
    expect(added.how).toBe('slices');
    expect(parsed(added.text)).toEqual({ version: 'runtime_sessions_v1', sessions: [ourSession('rb-1')] });
    expect(removeSessions(added.text, ['rb-1']).text).toBe(EMPTY);
  });

  it('leaves every byte of the others', () => {
    const added = appendSessions(RUNTIME, [ourSession('rb-1'), ourSession('rb-2')]);
    expect(added.how).toBe('slices');
    expect(added.text.startsWith(RUNTIME.slice(0, -4))).toBe(true);
    expect(removeSessions(added.text, ['rb-2']).text).toBe(
      appendSessions(RUNTIME, [ourSession('rb-1')]).text,
    );
    expect(removeSessions(added.text, ['rb-1', 'rb-2', 'unknown']).text).toBe(RUNTIME);
  });

  it('keeps comments, line ends and indentation of a hand-written document', () => {
    const text = [
      'Intro.',
      '~~~yaml',
      '# top',
      'sessions:   # the queue',
      '  # about a',
      '  - task_description: |',
      '      - session_id: not an entry',
      '    session_id: a',
      '',
      '  # the end',
      '~~~',
      'Outro.',
      '',
    ].join('\r\n');
    const added = appendSessions(text, [ourSession('rb-1')]);
    expect(added.how).toBe('slices');
    expect(added.text.replaceAll('\r\n', '')).not.toContain('\n');
    expect((parsed(added.text) as { sessions: unknown[] }).sessions).toHaveLength(2);
    expect(removeSessions(added.text, ['rb-1']).text).toBe(text);
    const none = removeSessions(text, ['a']).text;
    expect(parsed(none)).toEqual({ sessions: [] });
    expect(none).toContain('# about a');
  });

  it('refuses by code to write a key anew that would end the document', () => {
    const text = '# S\n\n```yaml\n"--- a": 1\nsessions: [{session_id: a}]\n```\n';
    expect(() => appendSessions(text, [ourSession('rb-1')])).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ code: 'RB222' })] }),
    );
  });

  it.each([
    ['flow style', 'sessions: [{session_id: a, timeouts: {execute_timeout_s: 300.0}}]\n'],
    ['a JSON body', '{"sessions": [{"session_id": "a", "timeouts": {"execute_timeout_s": 300.0}}]}\n'],
    [
      'a text that goes on inside brackets',
      'sessions:\n- target_ref: t\n  session_id: a\n  timeouts: {execute_timeout_s: 300.0, note: "a\n    - b"}\n',
    ],
    ['a missing list', 'version: runtime_sessions_v1\n'],
  ])('writes the document anew for %s', (_name, body) => {
    const text = `Text\n\n\`\`\`yaml\n${body}\`\`\`\n`;
    const before = parsed(text);
    const added = appendSessions(text, [ourSession('rb-1')]);
    expect(added.how).toBe('whole');
    expect(added.text.startsWith('# Runtime Sessions\n\n```yaml\n')).toBe(true);
    if (body.includes('300.0')) expect(added.text).toContain('execute_timeout_s: 300.0');
    expect(parsed(removeSessions(added.text, ['rb-1']).text)).toEqual({
      sessions: [],
      ...(before as object),
    });
  });

  it('appends to the sessions, not to another list behind them', () => {
    const text = renderDocument('X', 'sessions:\n- session_id: a\narchive:\n- session_id: old\n');
    const added = appendSessions(text, [ourSession('rb-1')]);
    expect(parsed(added.text)).toEqual({
      sessions: [{ session_id: 'a' }, ourSession('rb-1')],
      archive: [{ session_id: 'old' }],
    });
    expect(removeSessions(added.text, ['rb-1']).text).toBe(text);
    expect(removeSessions(text, ['old']).text).toBe(text);
  });

  it('refuses an id that is there, and documents the runtime refuses', () => {
    const codeOf = (text: string, id: string): string => {
      try {
        appendSessions(text, [ourSession(id)]);
        return 'accepted';
      } catch (error) {
        return error instanceof RbError ? (error.problems[0]?.code ?? '') : String(error);
      }
    };
    expect(codeOf(RUNTIME, 's_1')).toBe('RB209');
    expect(codeOf('no block', 'a')).toBe('RB202');
    expect(codeOf('```yaml\nsessions: [\n```\n', 'a')).toBe('RB203');
    expect(codeOf('```yaml\n- a\n```\n', 'a')).toBe('RB204');
    expect(codeOf('```yaml\nsessions: null\n```\n', 'a')).toBe('RB204');
  });

  // The runtime takes the block without its last line end: a text block that stands last has one line end less.
  it.each(['|', '>', '|+', '|2+'])('keeps what a text block (%s) at the very end means', (style) => {
    const foreign = `- session_id: a\n  note: ${style}\n    pick up\n`;
    const text = renderDocument('T', `version: runtime_sessions_v1\nsessions:\n${foreign}`);
    const [before] = (parsed(text) as { sessions: unknown[] }).sessions;
    const added = appendSessions(text, [ourSession('rb-1')]);
    expect(parsed(added.text)).toMatchObject({ sessions: [before, ourSession('rb-1')] });
    expect(parsed(removeSessions(added.text, ['rb-1']).text)).toMatchObject({ sessions: [before] });
  });

  it.each([
    ['as the runtime writes', ''],
    ['with another key behind the list', 'sessions_note: 1\n'],
    ['with comments', '# a\n'],
  ])('keeps what a text block means that becomes the last entry, %s', (_name, tail) => {
    for (const style of ['|', '>', '|+', '|-']) {
      const foreign = `- session_id: a\n  note: ${style}\n    pick up\n- session_id: rb-1\n`;
      const text = renderDocument('T', `version: runtime_sessions_v1\nsessions:\n${foreign}${tail}`);
      const [before] = (parsed(text) as { sessions: unknown[] }).sessions;
      const after = removeSessions(text, ['rb-1']).text;
      expect((parsed(after) as { sessions: unknown[] }).sessions).toEqual([before]);
    }
  });

  it('writes no text block, whose meaning would depend on what follows', () => {
    expect(dumpYaml([{ a: 'x\n' }, ' \n\n', '- \n', '\u0000\n'])).not.toMatch(/[|>]/);
  });

  it('gives back the identical bytes after adding and removing, for arbitrary foreign entries', () => {
    const layout = fc.record({
      indent: fc.constantFrom(0, 2, 4),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      tail: fc.constantFrom('', '# tail\n', 'other: 1\n', '\n\n'),
    });
    fc.assert(
      fc.property(foreignSessions, layout, (sessions, { indent, lineEnd, tail }) => {
        const list = dumpYaml(sessions).replace(/^(?=.)/gm, ' '.repeat(indent));
        const body = sessions.length === 0 ? 'sessions: []\n' : `sessions:\n${list}`;
        const text = renderDocument('T', `version: runtime_sessions_v1\n${body}${tail}`).replaceAll(
          '\n',
          lineEnd,
        );
        const ours = [ourSession('rb-x-1'), ourSession('rb-x-2')];
        const added = appendSessions(text, ours);
        const after = parsed(added.text) as { sessions: unknown[] };
        expect(after.sessions).toEqual([...(parsed(text) as { sessions: unknown[] }).sessions, ...ours]);
        if (added.how === 'slices') expect(removeSessions(added.text, ['rb-x-1', 'rb-x-2']).text).toBe(text);
        expect(added.how).toBe('slices');
      }),
      { numRuns: 300 },
    );
  });
});
