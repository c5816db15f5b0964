import { describe, expect, it } from 'vitest';
import { redactor, secretsOf } from '../../../src/screen/secrets.ts';

describe('secrets', () => {
  it('are taken from variables, longest first, without short or repeated ones', () => {
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

  it.each([
    'WANDB_API_KEY',
    'HF_TOKEN',
    'DB_PASSWORD',
    'client_secret',
    'AWS_SECRET_ACCESS_KEY',
    'INPUT_GITHUB-TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
    'DEPLOY_PAT',
    'TOKEN',
    'SMTP_PASS',
    'MYSQL_PWD',
    'DB_PASSWORDS',
    'SESSION_COOKIE',
  ])('are all values whose names say so: %s', (name) => {
    expect(secretsOf({ [name]: 'correct-horse' })).toEqual(['correct-horse']);
  });

  it.each([
    ['ACTIONS_ID_TOKEN_REQUEST_URL', 'https://vstoken.example'],
    ['TOKENIZERS_PARALLELISM', 'disabled-here'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/home/runner/key.json'],
    ['KEYBOARD_LAYOUT', 'en-us-qwerty'],
    ['GITHUB_WORKSPACE', '/home/runner/work'],
    ['PATH', '/usr/bin:/bin'],
    ['PWD', '/srv/jobs/a1B2c3D4e5F6g7H8'],
    ['SORT_KEY', 'suite-and-task'],
    ['SSH_PUBLIC_KEY', 'AAAAC3NzaC1lZDI1NTE5AAAAIHq3xV8mZt2Rk'],
    ['ACTIONS_CACHE_KEY', 'node-20-4f9c1e7ab3d05826'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XyZ12abcDEF0/agent.2044'],
  ])('are not what is about a secret, or only sounds like one: %s', (name, value) => {
    expect(secretsOf({ [name]: value })).toEqual([]);
  });

  it.each(['DEPLOY_KEY', 'SA_KEY', 'NPM_CONFIG_AUTH', 'SENTRY_DSN', 'SLACK_WEBHOOK', 'HASH_SALT'])(
    'are values that look like one where the name may say so: %s',
    (name) => {
      const value = 'q8Zr2Lw7Xk4Vt9Pb3Nc6Md1Hf5';
      expect(secretsOf({ [name]: value })).toEqual([value]);
      expect(secretsOf({ [name]: 'libero_spatial' })).toEqual([]);
    },
  );

  it('are the lines of a document of several, too', () => {
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
    const found = secretsOf({
      SIGNING_KEY: `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`,
    });
    expect(found).toContain(line);
    expect(found).toHaveLength(2);
  });

  it('may begin like a path', () => {
    const value = '/9jX2kQ7vB4mN8pL3sT6wY1zA5cE0dF+gH';
    expect(secretsOf({ AWS_SECRET_ACCESS_KEY: value })).toEqual([value]);
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
