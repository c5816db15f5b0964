import { describe, expect, it } from 'vitest';
import { redactValue, textRedactor } from '../../../src/bundle/redact.ts';

const redact = textRedactor(['gpu-box-7']);

describe('text that leaves the host', () => {
  it.each([
    ['/home/alice/ckpt/params', '<path>'],
    ['see /home/alice/x.txt, please', 'see <path>, please'],
    ['PATH=/home/alice/bin:/opt/alice/bin', 'PATH=<path>:<path>'],
    ['/home/älice/目标/ü', '<path>'],
    ['C:\\Users\\alice\\x', '<path>'],
    ['at \\\\nas\\share\\alice', 'at <path>'],
    ['file:///srv/lab/ckpt', '<path>'],
    ['openpi://10.1.2.3:8000/x', 'openpi://<endpoint>'],
    ['10.1.2.3:9000', '<endpoint>'],
    ['gpu7.lab.example.com:8000', '<endpoint>'],
    ['alice@gpu7.lab', '<account>'],
    ['on gpu-box-7', 'on <path>'],
    ['{"p":"/home/alice/j"}', '{"p":"<path>"}'],
  ])('%j becomes %j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    'move and/or lift',
    '5/10 episodes, 1/2',
    'https://github.com/o/r/actions/runs/1',
    'refs/heads/main',
    'artifacts/runtime/rb-1/episode.json',
    'put the bowl on the plate: then stop',
    'v1.2.3',
    'pi05@2.1.0',
    '2026-11-29T17:58:30.123Z',
    'sha256:0123',
  ])('keeps %j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('leaves ids and numbers alone and drops what the runtime trusts', () => {
    const value = {
      session_id: 'rb-/a/b',
      n: 3,
      claim_token: 'x',
      deep: [{ note: '/home/alice/x' }],
      nothing: null,
    };
    expect(redactValue(value, redact)).toEqual({
      session_id: 'rb-/a/b',
      n: 3,
      claim_token: '<redacted>',
      deep: [{ note: '<path>' }],
      nothing: null,
    });
  });
});
