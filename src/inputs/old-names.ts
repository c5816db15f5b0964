import { type Problem, problemOf } from '../errors/rb-error.ts';
import type { InputName } from './input-table.ts';

/** What became of an input of an earlier version. */
type OldName =
  | { readonly now: InputName; readonly value: (old: string) => string }
  | { readonly gone: string; readonly fix: string };

const partOf = (now: InputName, part: string): OldName => ({ now, value: (old) => `${part}=${old}` });

const OLD_NAMES: Readonly<Record<string, OldName>> = {
  'replan-every-steps': {
    gone: 'no runtime ever acted on it: chunks are executed as a whole.',
    fix: 'Remove it; the length of a chunk is set in the policy server.',
  },
  'action-chunk-mode': {
    gone: 'no runtime ever acted on it.',
    fix: 'Remove it.',
  },
  'checkpoint-digest': partOf('digests', 'checkpoint'),
  'image-digest': partOf('digests', 'image'),
  'max-sessions': partOf('caps', 'sessions'),
  'max-wall-time': partOf('caps', 'wall-time'),
  'max-artifact-size': partOf('caps', 'artifact-size'),
  'approval-environment': partOf('approval', 'environment'),
  'approval-label': partOf('approval', 'label'),
  'approved-plan': partOf('approval', 'plan-file'),
  'aa-test': { now: 'baseline', value: (old) => (/^true$/i.test(old) ? 'same' : 'auto') },
};

/** Longest value that a message repeats. */
const SHOWN_CHARACTERS = 100;

interface Where {
  /** As messages call the place. */
  readonly where: string;
  /** `line` of the config file or of `with:`, or `option` of a command line. */
  readonly form: 'line' | 'option';
}

/** RB115 for an input of an earlier version, with what to write instead; null for any other name. Pure. */
export function oldNameProblem(name: string, value: string, { where, form }: Where): Problem | null {
  const old = Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined;
  if (old === undefined) return null;
  if ('gone' in old) return problemOf('RB115', { where, message: `is gone: ${old.gone}`, fix: old.fix });
  const text = value.trim();
  const told = text === '' || text.length > SHOWN_CHARACTERS || /[\r\n]/.test(text) ? '…' : text;
  const now = form === 'option' ? `--${old.now} ${old.value(told)}` : `${old.now}: ${old.value(told)}`;
  return problemOf('RB115', {
    where,
    message: `is now a part of ${old.now}.`,
    fix: `Write ${now}; a comma separates it from other parts of ${old.now}.`,
  });
}
