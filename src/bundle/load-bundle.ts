import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { EXIT, RbError } from '../errors/rb-error.ts';
import type { EpisodeRecord } from '../outcome/episode-record.ts';
import { planDigest } from '../plan/make-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { HeldOutSummary } from '../results/held-out.ts';
import type { Results } from '../results/results.ts';
import type { RunFacts } from '../results/run-facts.ts';
import type { StopBaseline } from '../verdict/stop-baseline.ts';
import { readBundleDocuments, readManifest } from './documents.ts';
import { sha256Of } from './hash-file.ts';
import { BUNDLE_FILES } from './layout.ts';
import type { Manifest } from './manifest.ts';
import { recompute } from './recompute.ts';
import { verifyBundle } from './verify.ts';

/** A bundle that was verified, with its numbers computed again from raw/. */
export interface LoadedBundle {
  /** Absolute. */
  readonly dir: string;
  readonly manifest: Manifest;
  readonly manifestSha256: string;
  readonly plan: Plan;
  readonly planDigest: string;
  readonly run: RunFacts;
  readonly records: readonly EpisodeRecord[];
  readonly results: Results;
  readonly stopBaseline: StopBaseline | null;
  readonly heldOut: HeldOutSummary | null;
}

/** Differences that one message lists; a damaged bundle may have thousands. */
const SHOWN_DIFFERENCES = 20;

/**
 * Verifies a bundle and loads it. Nothing of a bundle that is not exactly what was sealed is ever used.
 * @throws RbError RB706 with the differences (exit 5), RB702 or RB703 when it cannot be read.
 */
export async function loadBundle(dir: string): Promise<LoadedBundle> {
  const differences = (await verifyBundle(dir)).filter(({ kind }) => kind !== 'held back');
  if (differences.length > 0) {
    throw new RbError(
      EXIT.verifyMismatch,
      differences.slice(0, SHOWN_DIFFERENCES).map(({ path: file, message }) => ({
        code: 'RB706',
        where: `${path.basename(path.dirname(dir))}/${path.basename(dir)}/${file}`,
        message: `The bundle is not what was sealed: ${message}.`,
        fix: 'Take the bundle as it was uploaded, or measure again.',
        severity: 'fatal',
      })),
    );
  }
  const manifest = readManifest(dir);
  const documents = readBundleDocuments(dir);
  return {
    dir,
    manifest,
    manifestSha256: sha256Of(readFileSync(path.join(dir, BUNDLE_FILES.manifest))),
    plan: documents.plan,
    planDigest: planDigest(documents.plan),
    run: documents.run,
    stopBaseline: documents.stopBaseline,
    heldOut: documents.heldOut,
    ...recompute(dir, documents),
  };
}
