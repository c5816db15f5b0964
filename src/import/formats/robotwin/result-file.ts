/** What a `_result.txt` holds: a rate, and not of how many episodes. */
export interface RateFile {
  readonly task: string | null;
  readonly suite: string | null;
  readonly rates: readonly number[];
  readonly skippedSeeds: number | null;
  readonly workers: number | null;
}

const RATE = /^\[?\s{0,4}([01](?:\.\d{1,20})?(?:e-\d{1,3})?)\s{0,4}\]?$/;

/** Is it such a file, by its first lines? Pure. */
export function isRateFile(text: string): boolean {
  return /^\s{0,20}Timestamp: /.test(text) && /(?:^|\n)Instruction Type: /.test(text);
}

/**
 * Reads `eval_result/<task>/<policy>/<task_config>/<ckpt>/<time>/_result.txt`. Pure.
 * @param name path of the file: nothing else says which task it is of.
 */
export function readRateFile(name: string, text: string): RateFile {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const numberOf = (key: string): number | null => {
    const found = lines.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2);
    return found !== undefined && /^\d{1,9}$/.test(found) ? Number(found) : null;
  };
  const parts = name.split('/');
  const root = parts.lastIndexOf('eval_result');
  const isWhole = root !== -1 && parts.length - root >= 6;
  return {
    task: isWhole ? (parts[root + 1] ?? null) : null,
    suite: isWhole ? (parts[root + 3] ?? null) : null,
    rates: lines.flatMap((line) => {
      const rate = RATE.exec(line)?.[1];
      return rate === undefined ? [] : [Number(rate)];
    }),
    skippedSeeds: numberOf('Skipped Seeds'),
    workers: numberOf('Batch Workers'),
  };
}

/** No evaluation of one task has more. */
const MOST = 10_000;

/**
 * The smallest number of episodes that gives exactly this rate as it is written in floating point, with its successes; null
 * where none up to 10,000 does. Pure.
 */
export function smallestCount(rate: number): { readonly k: number; readonly n: number } | null {
  for (let n = 1; n <= MOST; n += 1) {
    const k = Math.round(rate * n);
    if (k / n === rate) return { k, n };
  }
  return null;
}

/** The successes of so many episodes that give this rate; null where no whole number does. Pure. */
export function successesOf(rate: number, n: number): number | null {
  const k = Math.round(rate * n);
  return Math.abs(k / n - rate) < 1e-9 ? k : null;
}
