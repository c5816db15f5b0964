import { describe, expect, it } from 'vitest';
import { redactor, secretsOf } from '../../../src/platform/secrets.ts';

describe('secrets', () => {
  it('are taken from the known variables, longest first, without short or repeated ones', () => {
    const env = {
      GITHUB_TOKEN: 'ghs_abcdefgh',
      'INPUT_GITHUB-TOKEN': 'ghs_abcdefghij',
      GH_TOKEN: 'x',
      PATH: '/usr/bin:/bin',
    };
    expect(secretsOf({ ...env, ACTIONS_RUNTIME_TOKEN: 'ghs_abcdefgh' })).toEqual([
      'ghs_abcdefghij',
      'ghs_abcdefgh',
    ]);
  });

  it('are masked whole even when one contains another', () => {
    const redact = redactor(secretsOf({ GITHUB_TOKEN: 'ghs_abcdefgh', GH_TOKEN: 'ghs_abcdefghij' }));
    expect(redact('a ghs_abcdefghij b ghs_abcdefgh c')).toBe('a *** b *** c');
  });

  it('include the credentials inside addresses, whose host stays readable', () => {
    const redact = redactor([]);
    expect(redact('openpi://user:pass@host:8000/x and ws://10.0.0.1:9 me@example.org')).toBe(
      'openpi://***@host:8000/x and ws://10.0.0.1:9 me@example.org',
    );
  });
});
