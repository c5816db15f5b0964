import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walkFolder } from '../../../src/files/walk.ts';
import { chainLine, FIRST_TIP } from '../../../src/journal/chain.ts';
import { sha256 } from './tar-writer.ts';

/** A bundle in the hands of somebody who can make every hash again. */
export class Forger {
  readonly dir: string;
  constructor(dir: string) {
    this.dir = dir;
  }

  text(name: string): string {
    return readFileSync(join(this.dir, name), 'utf8');
  }

  write(name: string, content: string | Buffer): this {
    writeFileSync(join(this.dir, name), content);
    return this;
  }

  replace(name: string, from: string | RegExp, to: string): this {
    const text = this.text(name);
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${String(from)} is not in ${name}`);
    return this.write(name, changed);
  }

  remove(name: string): this {
    rmSync(join(this.dir, name));
    return this;
  }

  /** First file of raw/ with this name, e.g. `episode.json`. */
  raw(name: string): string {
    const found = walkFolder(this.dir).files.find((file) => file.startsWith('raw/') && file.endsWith(name));
    if (found === undefined) throw new Error(`no ${name} in raw/`);
    return found;
  }

  /** The journal's events, changed, with a new chain and the hashes of what is in raw/ now. */
  journal(
    change: (events: Record<string, unknown>[]) => Record<string, unknown>[] = (events) => events,
  ): this {
    const events = this.text('journal.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    let tip = FIRST_TIP;
    const lines: string[] = [];
    for (const event of change(events.map((each) => this.#withHashes(each)))) {
      // Safe: what a forger writes need not be an event, and the chain holds any text.
      const next = chainLine(tip, '2026-11-30T08:00:00.000Z', event as never);
      lines.push(`${next.line}\n`);
      tip = next.tip;
    }
    return this.write('journal.jsonl', lines.join(''));
  }

  #withHashes(event: Record<string, unknown>): Record<string, unknown> {
    const { files, sessionId } = event;
    if (event.type !== 'collected' || !Array.isArray(files)) return event;
    const renewed = files.map((file: { name: string }) => {
      const content = readFileSync(join(this.dir, 'raw', String(sessionId), file.name));
      return { ...file, bytes: content.length, sha256: sha256(content) };
    });
    return { ...event, files: renewed };
  }

  /** A manifest of everything that is there now. */
  seal(change: (manifest: Record<string, unknown>) => Record<string, unknown> = (value) => value): this {
    const manifest = JSON.parse(this.text('manifest.json'));
    const files = walkFolder(this.dir)
      .files.filter((name) => name !== 'manifest.json')
      .map((path) => {
        const content = readFileSync(join(this.dir, path));
        return { path, bytes: content.length, sha256: sha256(content) };
      });
    return this.write('manifest.json', `${JSON.stringify(change({ ...manifest, files }), null, 2)}\n`);
  }
}
