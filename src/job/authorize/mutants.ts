import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { isRecord } from '../../base/guards.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import type { EpisodeRecord } from '../../model/episode-record.ts';
import { ARCHIVE_FILES } from '../../outcome/read-archive.ts';
import { pathOfId } from '../../workspace/id-path.ts';

/** A way in which evidence gets damaged, done to a copy of real evidence. */
export interface Mutant {
  readonly name: string;
  /** `no verdict`: the numbers must not decide; `mismatch`: they may, but `verify` must notice. */
  readonly expects: 'no verdict' | 'mismatch';
  /** Changes the copy of a sealed bundle. */
  readonly apply: (bundle: BundleCopy) => void;
  /** What the damage makes of the records, where it is in no file that they are computed from. */
  readonly records?: (records: readonly EpisodeRecord[]) => readonly EpisodeRecord[];
}

/** A copy of a sealed bundle. */
interface BundleCopy {
  /** Absolute. */
  readonly dir: string;
  /** A session with a finished episode. */
  readonly sessionId: string;
}

/** Every way that evidence has been seen to break, and a byte that changed after sealing. */
export const MUTANTS: readonly Mutant[] = [
  {
    // The session still tells the outcome: that is enough for a verdict, but not for the seal.
    name: 'episode.json missing',
    expects: 'mismatch',
    apply: (bundle) => rmSync(episodeOf(bundle)),
  },
  {
    name: 'episode.json cut off',
    expects: 'mismatch',
    apply: (bundle) => rewrite(episodeOf(bundle), (text) => text.slice(0, Math.floor(text.length / 2))),
  },
  {
    name: 'success null in every source',
    expects: 'no verdict',
    apply: (bundle) => {
      rewriteJson(episodeOf(bundle), (value) => withoutSuccess(value));
      rewrite(sessionOf(bundle), (text) => text.replace(/^(\s*"?success"?: ).*?(,?)$/gm, '$1null$2'));
    },
  },
  {
    name: 'result and episode disagree',
    expects: 'no verdict',
    apply: (bundle) => rewriteJson(episodeOf(bundle), (value) => withBenchmark(value, flipSuccess)),
  },
  {
    name: 'another cell ran',
    expects: 'no verdict',
    apply: (bundle) => rewriteJson(episodeOf(bundle), (value) => withBenchmark(value, otherTask)),
  },
  {
    name: 'a session counted twice',
    expects: 'no verdict',
    apply: ({ dir }) => {
      const file = path.join(dir, BUNDLE_FILES.episodes);
      appendFileSync(file, `${readFileSync(file, 'utf8').split('\n')[0]}\n`);
    },
    records: (records) => [...records, ...records.slice(0, 1)],
  },
  {
    name: 'journal cut off',
    expects: 'no verdict',
    apply: ({ dir }) =>
      rewrite(path.join(dir, BUNDLE_FILES.journal), (text) => {
        const lines = text.split('\n');
        const collected = lines.findIndex((line) => line.includes('"type":"collected"'));
        return `${lines.slice(0, collected).join('\n')}\n`;
      }),
  },
  {
    name: 'a byte flipped after sealing',
    expects: 'mismatch',
    apply: ({ dir }) => {
      const file = path.join(dir, BUNDLE_FILES.results);
      const bytes = readFileSync(file);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
    },
  },
];

function episodeOf({ dir, sessionId }: BundleCopy): string {
  return path.join(pathOfId(path.join(dir, BUNDLE_FILES.raw), sessionId), ARCHIVE_FILES.episode);
}

function sessionOf({ dir, sessionId }: BundleCopy): string {
  return path.join(pathOfId(path.join(dir, BUNDLE_FILES.raw), sessionId), ARCHIVE_FILES.session);
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function rewriteJson(file: string, change: (value: unknown) => unknown): void {
  // Python writes NaN where a number is none; for a copy that only has to be damaged, null will do.
  rewrite(file, (text) =>
    JSON.stringify(change(JSON.parse(text.replace(/\bNaN\b|-?\bInfinity\b/g, 'null')))),
  );
}

function withoutSuccess(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSuccess);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'success' ? null : withoutSuccess(item)]),
  );
}

function withBenchmark(
  value: unknown,
  change: (benchmark: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): unknown {
  if (!isRecord(value) || !isRecord(value.benchmark)) return value;
  return { ...value, benchmark: change(value.benchmark) };
}

function flipSuccess(benchmark: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...benchmark, success: benchmark.success !== true };
}

function otherTask(benchmark: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...benchmark, task_id: Number(benchmark.task_id) + 1 };
}
