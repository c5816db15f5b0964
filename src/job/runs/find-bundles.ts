import { mkdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { type LoadedBundle, loadBundle } from '../../bundle/load-bundle.ts';
import { isArchive, unpackBundle } from '../../bundle/unpack.ts';
import type { CheckOptions } from '../../bundle/verify.ts';
import { EXIT, type ExitCode, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { isHeldOutPlan } from '../../model/plan.ts';

/**
 * Loads and verifies the bundles that paths name: bundle folders, or archives of them. All problems of all bundles
 * come at once, and nothing is used unless every bundle is sound.
 * @param scratch an existing folder for what archives hold.
 * @throws RbError RB431 (exit 3) for a bundle of held-out cells, RB703, RB706, RB707 (exit 5), RB708
 * (exit 2) for a path that is neither.
 */
export async function loadBundles(
  paths: readonly string[],
  scratch: string,
  options: CheckOptions = {},
): Promise<LoadedBundle[]> {
  const problems: Problem[] = [];
  const loaded: LoadedBundle[] = [];
  for (const [index, given] of paths.entries()) {
    try {
      const into = path.join(scratch, `bundle-${index}`);
      const bundle = await loadOne(path.resolve(given), into, options);
      if (isHeldOutPlan(bundle.plan)) problems.push(heldOutBundle(given));
      loaded.push(bundle);
    } catch (error) {
      if (!(error instanceof RbError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) {
    throw new RbError(exitOf(problems), problems);
  }
  return loaded;
}

/** A mistyped path is no bundle that failed to verify. */
function exitOf(problems: readonly Problem[]): ExitCode {
  if (problems.every(({ code }) => code === 'RB708')) return EXIT.usage;
  return problems.every(({ code }) => code === 'RB431') ? EXIT.refused : EXIT.verifyMismatch;
}

/** Whatever is made of a bundle here is shown to somebody. */
function heldOutBundle(place: string): Problem {
  return problemOf('RB431', {
    where: 'input bundle',
    message: 'this is a bundle of held-out cells, whose reports and baselines would name them.',
    value: place,
    fix: 'Name the public bundle of the same run; it carries the aggregate.',
  });
}

async function loadOne(place: string, into: string, options: CheckOptions): Promise<LoadedBundle> {
  const found = await stat(place).catch(() => null);
  if (found?.isDirectory() === true) return loadBundle(place, options);
  if (found?.isFile() === true && isArchive(place)) {
    await mkdir(into, { recursive: true });
    return loadBundle(await unpackBundle(place, into, options), options);
  }
  throw noBundle(place, found !== null);
}

/** RB708 (exit 2) for a path with nothing behind it, or with something that can be no bundle. */
export function noBundle(place: string, exists: boolean): RbError {
  const problem: Problem = problemOf('RB708', {
    where: 'input bundle',
    message: exists ? 'this is neither a bundle folder nor a .tar.gz archive of one.' : 'nothing is there.',
    value: place,
    fix: `Name the attempt folder with its ${BUNDLE_FILES.manifest}, or the archive that was uploaded.`,
  });
  return new RbError(EXIT.usage, [problem]);
}
