import { mkdirSync, renameSync } from 'node:fs';
import * as path from 'node:path';
import { errorOf } from '../errors/rb-error.ts';
import { resolveInside } from '../files/atomic-file.ts';
import { hashBuffer, hashFile } from '../files/hash-file.ts';
import { PackedDigests } from '../files/packed-digests.ts';
import { walkFolder } from '../files/walk.ts';
import { IMPORT_FOLDER } from '../import/read-imported.ts';
import { secretScanner } from '../screen/secret-scan.ts';
import { streamScreen, type TextScreen } from '../screen/text-screen.ts';
import { BUNDLE_FILES, QUARANTINE } from './layout.ts';

/** A file that may not leave, and why. */
export interface Hit {
  readonly path: string;
  readonly kinds: readonly string[];
}

/** One pass over every file: size, hash and secrets. */
export function scanFolder(
  bundleDir: string,
  secrets: readonly string[],
  screen: TextScreen | null,
): { digests: PackedDigests; hits: readonly Hit[] } {
  const digests = new PackedDigests();
  const hits: Hit[] = [];
  const { files, odd } = walkFolder(bundleDir);
  const buffer = hashBuffer();
  for (const name of files) {
    const scanner = secretScanner(secrets);
    const names = streamScreen(screen);
    digests.add(
      name,
      hashFile(
        path.join(bundleDir, name),
        (chunk) => {
          scanner.feed(chunk);
          names.feed(chunk);
        },
        buffer,
      ),
    );
    const kinds = [...scanner.found(), ...names.found()];
    if (kinds.length > 0) hits.push({ path: name, kinds });
  }
  hits.push(...odd.map((name) => ({ path: name, kinds: ['link or special file'] })));
  return { digests, hits };
}

/** Files and a folder without which nothing can be computed. */
const NEEDED = new Set<string>([BUNDLE_FILES.plan, BUNDLE_FILES.run, BUNDLE_FILES.journal, IMPORT_FOLDER]);

/**
 * Moves files with secrets beside the attempt folder, so that they stay on the host and never leave with it.
 * @throws RbError RB213 when a link is in that place.
 */
export async function quarantine(bundleDir: string, hits: readonly Hit[]): Promise<readonly Hit[]> {
  for (const hit of hits) if (NEEDED.has(hit.path.split('/')[0] ?? '')) refuseSecrets(hit.path, hit.kinds);
  for (const hit of hits) {
    const place = await resolveInside(
      path.dirname(bundleDir),
      `${path.basename(bundleDir)}${QUARANTINE}/${hit.path}`,
    );
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o700 });
    renameSync(path.join(bundleDir, hit.path), place);
  }
  return hits;
}

/** @throws RbError RB704 when a secret was found. */
export function refuseSecrets(name: string, kinds: readonly string[]): void {
  if (kinds.length === 0) return;
  throw errorOf('RB704', {
    where: name,
    message: `The file holds a secret (${kinds.join(', ')}), so the bundle was not sealed and nothing leaves the host.`,
    fix: 'Change the secret, find out how it got there, and measure again.',
  });
}
