import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvField, htmlText, markdownText } from '../../../src/report/text/escape.ts';
import {
  secretMasker,
  secretScanner,
  secretsIn,
  valueFinder,
  valueMasker,
} from '../../../src/screen/secret-scan.ts';
import { SECRET_SHAPES } from '../../../src/screen/secret-shapes.ts';

const random = (length: number, seed: number, alphabet: string): string => {
  let state = seed;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return alphabet[Math.floor(state / 65_536) % alphabet.length];
  }).join('');
};
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An installation token of 2026: prefix, app id, and a JWT signed with RS256. */
function installationToken(seed: number): string {
  const header = part({ alg: 'RS256', typ: 'JWT', kid: random(8, seed, LETTERS) });
  const payload = part({ iss: 'github', app: 1_234_567, installation: 87_654_321, exp: 1_780_000_000 });
  return `ghs_1234567_${header}.${payload}.${random(342, seed + 1, `${LETTERS}-_`)}`;
}

describe('a masked text', () => {
  it('holds nothing that the scanner finds, wherever a secret stood in it', () => {
    const own = 'correct-horse-battery';
    const secrets = [
      own,
      Buffer.from(own).toString('base64'),
      `ghp_${'a1'.repeat(20)}`,
      `hf_${'b2'.repeat(20)}`,
      'https://alice:hunter22@nas.local/x',
      installationToken(7),
      `x-access-token:${own}`,
    ];
    const piece = fc.oneof(fc.constantFrom(...secrets), fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (parts) => {
        expect(secretsIn(secretMasker([own])(parts.join(' ')), [own])).toEqual([]);
      }),
    );
  });

  it('is the same text when there is none', () => {
    expect(secretMasker(['correct-horse-battery'])('target not found: x')).toBe('target not found: x');
  });
});

describe('a value of the environment in what is written', () => {
  // Hex of 40 digits is split in Markdown, as a commit is, so that it becomes no link.
  const secrets = ['Pa"ss\\w<0>r&d*_x1', 'deadbeefcafe0123456789abcdef0123456789ab', '@ops #7 k|ey~'];

  it.each(secrets)('is found as every document and page writes it: %s', (secret) => {
    for (const written of [
      JSON.stringify({ note: `x ${secret} y` }),
      `<td>${htmlText(`x ${secret} y`)}</td>`,
      `| ${markdownText(`x ${secret} y`)} |`,
      csvField(`x,${secret}`),
      `see ${markdownText(secret)}`,
    ]) {
      expect(secretsIn(written, secrets), written).toContain('credential of this environment');
      expect(valueFinder(secrets)(written), written).toBe(true);
    }
    for (const written of [JSON.stringify({ note: `x ${secret} y` }), csvField(`x,${secret}`)]) {
      expect(valueFinder(secrets)(valueMasker(secrets)(written)), written).toBe(false);
    }
  });

  it('is all that is masked in results, whose own tokens a program needs', () => {
    const page = JSON.stringify({ nextPageToken: 'MjAgNGY5YzFlN2FiM2QwNTgyNjRmOWMxZTdhYjNkMDU4MjY' });
    expect(valueMasker(secrets)(page)).toBe(page);
    expect(secretMasker(secrets)(page)).not.toBe(page);
  });
});

describe('an installation token of today', () => {
  it.each(['', 'x_', '"', 'token=', 'https://x-access-token:', 'Authorization: bearer '])(
    'is found after %j and masked whole, so that no tail of it is left',
    (before) => {
      const token = installationToken(before.length);
      expect(token.length).toBeGreaterThan(480);
      const text = `remote: ${before}${token} refused`;
      expect(secretsIn(text, [])).toContain('GitHub token');
      const masked = secretMasker([])(text);
      for (let at = 0; at + 12 <= token.length; at += 6)
        expect(masked).not.toContain(token.slice(at, at + 12));
      expect(masked).toContain(' refused');
    },
  );

  it('is found wherever a stream is cut', () => {
    const bytes = Buffer.from(`${'x '.repeat(300)}${installationToken(3)}\n${'y '.repeat(300)}`);
    for (const size of [64, 100, 511, 1000]) {
      const scanner = secretScanner([]);
      for (let at = 0; at < bytes.length; at += size) scanner.feed(bytes.subarray(at, at + size));
      expect(scanner.found(), String(size)).toContain('GitHub token');
    }
  });
});

describe('a token after an escape', () => {
  const token = `ghp_${random(36, 21, LETTERS)}`;

  it.each([
    JSON.stringify({ error: `Traceback\n${token} refused` }),
    JSON.stringify(`remote:\t${token}`),
    `\u001b[31m${token}\u001b[0m`,
    JSON.stringify(`\u001b[1;31m${token}`),
    `?url=a%3Fq%3D${token}`,
    `b'\\x3d${token}'`,
    `'\\n${token}'`,
  ])('is found and masked: %j', (text) => {
    expect(secretsIn(text, [])).toEqual(['GitHub token']);
    expect(secretMasker([])(text)).not.toContain(token);
  });
});

it('a private key of OpenPGP is one', () => {
  const key = '-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----';
  expect(secretMasker([])(`a ${key} b`)).toBe('a *** b');
});

describe('a secret without a form of its own', () => {
  const value = random(40, 11, '0123456789abcdef');

  it.each([
    `WANDB_API_KEY=${value}`,
    `{"client_secret": "${random(32, 12, LETTERS)}"}`,
    `password: ${random(24, 13, LETTERS)}`,
    `Authorization: Basic ${Buffer.from(`me:${value}`).toString('base64')}`,
    `aws_secret_access_key = ${random(40, 14, `${LETTERS}/+`)}`,
  ])('is found by its name and its randomness: %s', (text) => {
    expect(secretsIn(text, [])).not.toEqual([]);
    expect(secretsIn(secretMasker([])(text), [])).toEqual([]);
  });

  it.each([
    'claim_token: 3f9a1b2c4d5e6f708192a3b4c5d6e7f8',
    '"verification_token": "3f9a1b2c4d5e6f708192a3b4c5d6e7f8"',
    'state_key: robot0_eye_in_hand_image_0001',
    'tokenizer: google/paligemma-3b-pt-224-longname',
    'token_count = 00000000000000000000000000012',
    'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'max_tokens: 4096',
    'password: correct-horse-battery-staple',
  ])('is none of these: %s', (text) => {
    expect(secretsIn(text, [])).toEqual([]);
    expect(secretMasker([])(text)).toBe(text);
  });
});

describe('a value of the environment', () => {
  it('is found inside Base64 of something longer, at any place, and in an address', () => {
    const own = 'correct-horse+battery/staple 1';
    for (const before of ['', 'a', 'ab', 'x-access-token:']) {
      const whole = Buffer.from(`${before}${own}${before}`).toString('base64');
      expect(secretsIn(`basic ${whole}`, [own]), before).toContain('credential of this environment');
    }
    expect(secretsIn(`?t=${encodeURIComponent(own)}`, [own])).toContain('credential of this environment');
  });

  it('is found as documents write it: JSON of either language, HTML, hexadecimal', () => {
    const own = 'pa"ss\\w\u00f6rd<&>1';
    const json = JSON.stringify({ own });
    for (const text of [
      json,
      json.replace('\u00f6', '\\u00f6'),
      'pa&quot;ss\\w\u00f6rd&lt;&amp;&gt;1',
      Buffer.from(own).toString('hex'),
    ]) {
      expect(secretsIn(text, [own]), text).toEqual(['credential of this environment']);
      expect(secretsIn(secretMasker([own])(text), [own])).toEqual([]);
    }
  });
});

it('every form says since when it is as it is, and can be found by its beginning', () => {
  for (const { since, starts, pattern } of SECRET_SHAPES) {
    expect(since).toMatch(/^\d{4}-\d{2}$/);
    expect(starts.length).toBeGreaterThan(0);
    expect(pattern.flags).toContain('g');
  }
});
