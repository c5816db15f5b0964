import { MAX_JSON_DEPTH } from '../base/json-depth.ts';
import { endOfText } from '../base/json-text.ts';

/** Keys of episode.json that an outcome depends on (see evidence-schema.ts), and those above them. */
const READ: ReadonlySet<string> = new Set([
  ...['session_id', 'target_id', 'status', 'success', 'done', 'num_steps', 'error_code', 'error_message'],
  ...['benchmark', 'libero', 'episode_summary', 'benchmark_name', 'task_id', 'init_state_id'],
  ...['task_description', 'target_step_index', 'total_reward', 'num_action_chunks', 'total_episodes'],
  ...['suite_id', 'metadata', 'return_value', 'mean_policy_latency_ms', 'final_status'],
  ...['policy_latency_ms', 'mean', 'preflight', 'missing_items', 'code'],
]);
/** Of these only matters whether they are there. */
const NOTICED: ReadonlySet<string> = new Set(['benchmark_result', 'benchmark_summary']);

const [QUOTE, BRACE, END_BRACE, BRACKET, END_BRACKET] = [0x22, 0x7b, 0x7d, 0x5b, 0x5d];
const [COLON, COMMA] = [0x3a, 0x2c];

/**
 * The text of an episode.json without what no outcome depends on: a late timeout keeps two camera images as numbers, a
 * hundred bytes in memory for each that is read. Pure; null when it is no JSON as far as it was looked at.
 */
export function withoutUnreadJson(bytes: Buffer): string | null {
  const pruning = new Pruning(bytes);
  try {
    const end = pruning.value(pruning.skipSpace(0), 0);
    return pruning.skipSpace(end) === bytes.length ? pruning.text(end) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

class Pruning {
  readonly #bytes: Buffer;
  readonly #kept: string[] = [];
  #from = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  text(end: number): string {
    return [...this.#kept, this.#bytes.toString('utf8', this.#from, end)].join('');
  }

  skipSpace(from: number): number {
    let at = from;
    while (isSpace(this.#bytes[at])) at += 1;
    return at;
  }

  /** A value that is read. Gives where it ends. */
  value(at: number, depth: number): number {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError('too deep');
    return this.#bytes[at] === BRACE ? this.#members(at, depth) : this.#skip(at);
  }

  #members(open: number, depth: number): number {
    let at = this.skipSpace(open + 1);
    if (this.#bytes[at] === END_BRACE) return at + 1;
    for (;;) {
      if (this.#bytes[at] !== QUOTE) throw new SyntaxError('no key');
      const end = this.#endOf(at);
      const key = this.#bytes.toString('utf8', at + 1, end);
      const colon = this.skipSpace(end + 1);
      if (this.#bytes[colon] !== COLON) throw new SyntaxError('no value');
      at = this.skipSpace(this.#member(key, this.skipSpace(colon + 1), depth));
      if (this.#bytes[at] === END_BRACE) return at + 1;
      if (this.#bytes[at] !== COMMA) throw new SyntaxError('no end');
      at = this.skipSpace(at + 1);
    }
  }

  #member(key: string, at: number, depth: number): number {
    // A key that is written in another way is one of ours all the same.
    if (READ.has(key) || key.includes('\\')) return this.value(at, depth + 1);
    const isNoticed = NOTICED.has(key) && (this.#bytes[at] === BRACE || this.#bytes[at] === BRACKET);
    this.#kept.push(this.#bytes.toString('utf8', this.#from, at), isNoticed ? '{}' : 'null');
    this.#from = this.#skip(at);
    return this.#from;
  }

  /** A value whatever is in it. */
  #skip(from: number): number {
    let open = 0;
    for (let at = from; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at];
      if (byte === QUOTE) {
        at = this.#endOf(at);
        if (open === 0) return at + 1;
      } else if (byte === BRACE || byte === BRACKET) open += 1;
      else if (byte === END_BRACE || byte === END_BRACKET) {
        if (open === 0) return at;
        open -= 1;
        if (open === 0) return at + 1;
      } else if (open === 0 && (byte === COMMA || isSpace(byte))) return at;
    }
    if (open > 0) throw new SyntaxError('cut off');
    return this.#bytes.length;
  }

  #endOf(quote: number): number {
    const end = endOfText(this.#bytes, quote);
    if (end === -1) throw new SyntaxError('cut off');
    return end;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
