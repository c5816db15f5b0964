import { describe, expect, it } from 'vitest';
import {
  isWholeLog,
  logEntryText,
  parseLogEntry,
  parsePythonJson,
} from '../../../src/outcome/read-evidence.ts';

const LOG = `# Runtime Session History

\`\`\`yaml
version: runtime_session_history_v1
sessions:
  rb-a:
    session_id: rb-a
    status: failed
    error_message: 'two

      lines'
  rb-ab:
    session_id: rb-ab
    status: succeeded
    num_steps: 15
updated_at: '2026-11-29T13:05:13+00:00'
last_session_id: rb-ab
\`\`\`
`;

describe('logEntryText', () => {
  it('cuts out one entry, folded text included, and nothing of the next', () => {
    expect(parseLogEntry(logEntryText(LOG, 'rb-a'), 'rb-a')).toEqual({
      session_id: 'rb-a',
      status: 'failed',
      error_message: 'two\nlines',
    });
    expect(parseLogEntry(logEntryText(LOG, 'rb-ab'), 'rb-ab')).toMatchObject({ num_steps: 15 });
  });

  it('finds no entry for an id that is only part of another, or appears only in the tail', () => {
    expect(logEntryText(LOG, 'rb')).toBeNull();
    expect(logEntryText(LOG, 'last_session_id')).toBeNull();
  });

  it('finds quoted ids', () => {
    const log = "x:\n  '12e4':\n    session_id: '12e4'\n    status: failed\n";
    expect(parseLogEntry(logEntryText(log, '12e4'), '12e4')).toMatchObject({ status: 'failed' });
  });

  it('tells a file that is still being written from a whole one', () => {
    expect(isWholeLog(LOG)).toBe(true);
    expect(isWholeLog(LOG.slice(0, -5))).toBe(false);
    expect(isWholeLog(`${LOG}\nsome words\n`)).toBe(true);
  });
});

describe('parsePythonJson', () => {
  it('reads the bare words of Python as unknown and leaves text alone', () => {
    const text = '{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \\" Infinity", "d": 1795959690407329700}';
    expect(parsePythonJson(text)).toEqual({
      a: null,
      b: [null, null],
      c: 'NaN " Infinity',
      d: 1795959690407329800,
    });
  });

  it('refuses anything else', () => {
    expect(() => parsePythonJson('{"a": nan}')).toThrow(SyntaxError);
    expect(() => parsePythonJson('{"a": NaN')).toThrow(SyntaxError);
  });
});
