import type { FileDigest } from '../files/hash-file.ts';
import type { ArchivedFile, JournalEvent } from '../model/journal-events.ts';
import type { Manifest } from '../model/manifest.ts';
import { type Difference, journalDifference } from './difference.ts';
import { BUNDLE_FILES } from './layout.ts';

/** What was archived, as the journal tells it while it is read, against what the manifest lists. */
export class ArchiveCheck {
  /** Null for a redacted copy: redaction changes raw files after the journal named their hashes. */
  #listed: Map<string, FileDigest> | null = null;
  /** Files of which something is said already. */
  readonly #settled: Set<string>;
  readonly #names = new Map<string, ReadonlySet<string> | null>();
  /** Equal sets of names, each kept once: most sessions leave the same files. */
  readonly #sets = new Map<string, ReadonlySet<string>>();
  readonly #faults: Difference[] = [];

  /** @param changed files that are not what the manifest says. */
  constructor({ kind, files, leftOut }: Manifest, changed: Iterable<string>) {
    this.#settled = new Set([...changed, ...leftOut.map(({ path }) => path)]);
    if (kind === 'sealed') this.#listed = new Map(files.map((file) => [file.path, file]));
  }

  see(event: JournalEvent): void {
    if (event.type === 'intent' || event.type === 'adopted') this.#names.set(event.sessionId, null);
    if (event.type !== 'collected') return;
    this.#names.set(event.sessionId, this.#setOf(event.files.map(({ name }) => name)));
    if (this.#listed === null) return;
    for (const file of event.files)
      this.#compare(`${BUNDLE_FILES.raw}/${event.sessionId}/${file.name}`, file, this.#listed);
  }

  /** Names of what was archived of each session; null for one that was never collected. */
  names(): ReadonlyMap<string, ReadonlySet<string> | null> {
    return this.#names;
  }

  /** When the journal has ended. */
  faults(): readonly Difference[] {
    this.#listed = null;
    return this.#faults;
  }

  #compare(name: string, told: ArchivedFile, listed: ReadonlyMap<string, FileDigest>): void {
    if (this.#settled.has(name)) return;
    const found = listed.get(name);
    if (found?.sha256 === told.sha256 && found.bytes === told.bytes) return;
    const state = found === undefined ? 'is not in the bundle' : 'has another hash or size in the bundle';
    this.#faults.push(
      journalDifference(
        `${name} was archived with SHA-256 ${told.sha256} and ${told.bytes} bytes, but ${state}`,
      ),
    );
  }

  #setOf(names: readonly string[]): ReadonlySet<string> {
    const key = names.join('\n');
    const found = this.#sets.get(key) ?? new Set(names);
    this.#sets.set(key, found);
    return found;
  }
}
