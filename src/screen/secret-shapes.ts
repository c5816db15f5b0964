/** What a credential looks like, as its issuer makes it. */
export interface SecretShape {
  readonly kind: string;
  /** When this form was last looked up, or came to be. */
  readonly since: string;
  /** Pieces, one of which every match contains; plain searches are many times faster than the pattern. */
  readonly starts: readonly string[];
  /** Matches the whole credential: what is left of one can still be used. Global. */
  readonly pattern: RegExp;
  /** Looks at a match that is none by its form alone. @param value the last group of the pattern */
  readonly accepts?: (value: string) => boolean;
}

/**
 * Before a prefix: a token after `_` is one (`x_ghs_…`), one inside a word is not. The letter that ends an escape is no
 * word: logs stand in JSON as `\\nghp_…`, in addresses as `%3Dghp_…`, in a terminal's colours as `ESC[31mghp_…`.
 */
const ESCAPES = [
  '\\\\[abefnrtv0]',
  '\\\\[xU]?[0-9A-Fa-f]{2,8}',
  '\\\\u[0-9A-Fa-f]{4}',
  '%[0-9A-Fa-f]{2}',
  '\\[[0-9;]{0,16}[A-Za-z]',
];
const AT_START = `(?:(?<![A-Za-z0-9])|(?<=${ESCAPES.join('|')}))`;
const BASE64URL = '[A-Za-z0-9_-]';

const shape = (kind: string, since: string, starts: readonly string[], pattern: string): SecretShape => ({
  kind,
  since,
  starts,
  pattern: new RegExp(`${AT_START}${pattern}`, 'g'),
});

/** Credentials with a prefix or a structure of their own. */
const OWN_FORM: readonly SecretShape[] = [
  // Classic tokens are 36 letters and digits (2021-04). Installation tokens, GITHUB_TOKEN among them, became
  // `ghs_<app id>_<JWT>` of about 520 characters on 2026-04-27, so dots, underscores and dashes belong to them.
  shape('GitHub token', '2026-04', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9._-]{36,}'),
  shape('GitHub fine-grained token', '2022-10', ['github_pat_'], 'github_pat_[A-Za-z0-9_]{50,}'),
  shape(
    'GitLab token',
    '2024-10',
    ['glpat-', 'gldt-', 'glrt-', 'glcbt-'],
    `gl(?:pat|dt|rt|cbt)-[A-Za-z0-9._-]{20,}`,
  ),
  shape('Hugging Face token', '2022-08', ['hf_', 'api_org_'], '(?:hf|api_org)_[A-Za-z0-9]{30,}'),
  shape('Weights & Biases key', '2025-11', ['wandb_v1_'], `wandb_v1_${BASE64URL}{40,}`),
  shape(
    'AWS access key',
    '2019-01',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    '(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])',
  ),
  shape('Google API key', '2018-01', ['AIza'], `AIza${BASE64URL}{35,}`),
  shape('Google OAuth token', '2021-11', ['ya29.', 'GOCSPX-'], `(?:ya29\\.|GOCSPX-)[A-Za-z0-9._-]{20,}`),
  shape('Slack token', '2021-06', ['xox', 'xapp-'], '(?:xox[abeoprs]|xapp)-[0-9A-Za-z.-]{20,}'),
  // OpenAI, Anthropic and others; project and service keys have dashes and underscores.
  shape('API key', '2024-06', ['sk-'], `sk-${BASE64URL}{32,}`),
  shape('Stripe key', '2019-01', ['sk_live_', 'rk_live_'], '[sr]k_live_[A-Za-z0-9]{20,}'),
  shape('npm token', '2021-09', ['npm_'], 'npm_[A-Za-z0-9]{36,}'),
  shape('PyPI token', '2019-07', ['pypi-AgE'], `pypi-AgE${BASE64URL}{50,}`),
  shape('Docker token', '2022-04', ['dckr_pat_', 'dckr_oat_'], `dckr_[po]at_${BASE64URL}{27,}`),
  shape('Vault token', '2022-06', ['hvs.', 'hvb.'], `hv[sb]\\.${BASE64URL}{24,}`),
  // A header that is a JSON object in Base64url, a payload, and a signature; five parts when it is encrypted.
  shape(
    'JSON web token',
    '2015-05',
    ['ey'],
    `ey[JA]${BASE64URL}{10,}(?:\\.${BASE64URL}{10,})(?:\\.${BASE64URL}*){1,3}`,
  ),
  {
    kind: 'private key',
    since: '2019-08',
    starts: ['PRIVATE KEY-----', 'PRIVATE KEY BLOCK-----'],
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,16384}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    kind: 'password in an address',
    since: '1994-12',
    starts: ['://'],
    pattern: /:\/\/[^/?#\s"'@:]*:[^/?#\s"'@]{3,}@(?=[A-Za-z0-9[])/g,
  },
];

/**
 * Names of the runtime's own random values, which live for one session and give nothing away. They are in every bundle.
 */
const NOT_HARMLESS = '(?<!(?:claim|verification)[_-]?)';
const SECRET_NAME =
  '(?:[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Pp]ass(?:word|wd|phrase)|PASS(?:WORD|WD|PHRASE)|[Aa]pi[_-]?[Kk]ey|API[_-]?KEY|[Aa]ccess[_-]?[Kk]ey|ACCESS[_-]?KEY|[Pp]rivate[_-]?[Kk]ey|PRIVATE[_-]?KEY|[Cc]redentials?|CREDENTIALS?)';
const MIN_VALUE = 20;
/** Bits per character. English and paths have less than 3.6 on such lengths, random hex 3.6 to 4, Base64 more. */
const MIN_ENTROPY = 3.2;

/** A value beside a name that says what it is: by its randomness, since it has no form of its own. */
const BY_NAME: SecretShape = {
  kind: 'value of a secret',
  since: '2026-11',
  starts: ['oken', 'OKEN', 'ecret', 'ECRET', 'ass', 'ASS', 'ey', 'EY', 'redential', 'REDENTIAL'],
  pattern: new RegExp(
    `${NOT_HARMLESS}${SECRET_NAME}["']?\\s{0,4}[:=]\\s{0,4}["']?(?:[Bb]earer |[Bb]asic )?([A-Za-z0-9+/_=.~-]{${MIN_VALUE},})`,
    'g',
  ),
  accepts: looksRandom,
};

const AUTHORIZATION: SecretShape = {
  kind: 'authorization header',
  since: '2012-10',
  starts: ['uthorization', 'UTHORIZATION'],
  pattern: new RegExp(
    `[Aa](?:uthorization|UTHORIZATION)["']?\\s{0,4}[:=]\\s{0,4}["']?(?:[Bb]earer|[Bb]asic|BEARER|BASIC) ([A-Za-z0-9+/_=.~-]{${MIN_VALUE},})`,
    'g',
  ),
  accepts: looksRandom,
};

/** Everything that is looked for. Whole tokens come first, so that none of them is cut by another shape. */
export const SECRET_SHAPES: readonly SecretShape[] = [...OWN_FORM, AUTHORIZATION, BY_NAME];

/** Letters and digits mixed as chance does it, no path and no words. Pure. */
export function looksRandom(value: string): boolean {
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Words, perhaps numbered, with separators between them: `robot0_eye_in_hand_image`.
  if (value.split(/[_./~=+-]+/).every((part) => /^[A-Za-z]{0,14}\d{0,4}$/.test(part))) return false;
  return entropy(value) >= MIN_ENTROPY;
}

/** Shannon entropy of the characters, in bits per character. Pure. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
