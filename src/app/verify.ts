import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Difference } from '../bundle/difference.ts';
import { BUNDLE_FILES } from '../bundle/layout.ts';
import { isArchive, unpackBundle } from '../bundle/unpack.ts';
import { type BundleCheck, checkBundle } from '../bundle/verify.ts';
import { EXIT, type ExitCode } from '../errors/rb-error.ts';
import { readTextCapped } from '../files/atomic-file.ts';
import { noBundle } from '../job/runs/find-bundles.ts';
import type { VerbContext } from '../job/verb.ts';
import { isHeldOutPlan } from '../model/plan.ts';
import { parseHeldOut } from '../plan/held-out-file.ts';
import { heldOutCommitment, MAX_HELD_OUT_BYTES, placeOf } from '../plan/held-out-list.ts';
import { terminalText } from '../report/text/escape.ts';

/** `verify`: is a bundle what was sealed, and do its numbers follow from its raw evidence? Offline, without a token. */
export async function verify(verb: VerbContext): Promise<ExitCode> {
  return withBundle(verb, (bundleDir) => verifyFolder(verb, bundleDir));
}

/** A folder as it is; an archive is unpacked beside it all and thrown away afterwards. */
async function withBundle<T>(
  { args, env, signal }: VerbContext,
  work: (bundleDir: string) => Promise<T>,
): Promise<T> {
  const place = path.resolve(args[0] ?? '.');
  const found = await stat(place).catch(() => null);
  if (found?.isDirectory() === true) return work(place);
  if (found?.isFile() !== true || !isArchive(place)) throw noBundle(place, found !== null);
  const scratch = await mkdtemp(path.join(env.RUNNER_TEMP ?? tmpdir(), 'rollout-bench-verify-'));
  try {
    return await work(await unpackBundle(place, scratch, { signal }));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function verifyFolder(verb: VerbContext, bundleDir: string): Promise<ExitCode> {
  const check = await checkBundle(bundleDir, { signal: verb.signal });
  const { notCompared } = check;
  const file = verb.options.get('heldout');
  const list = file === undefined ? { differences: [], said: [] } : await checkList(check, file);
  const differences = [...check.differences, ...list.differences];
  const verified = differences.length === 0;
  if (verb.json) verb.stdout(`${JSON.stringify({ verified, differences, notCompared }, null, 2)}\n`);
  else
    verb.stdout(verifyText(differences, [...list.said, ...manifestNote(check), ...pagesNote(notCompared)]));
  return verified ? EXIT.ok : EXIT.verifyMismatch;
}

/** A person who opens a page must know whether it was looked at. */
function pagesNote(notCompared: string | null): readonly string[] {
  if (notCompared === null) return [];
  return [
    `The pages in it (report.html, the Markdown report, charts, tables, sessions.md) were not compared: ${notCompared}. Their numbers were not checked; \`rollout-bench report <bundle> --report-dir <folder>\` renders them anew.`,
  ];
}

const MAX_LINE = 1000;

/** Pure. `notes` are said of a bundle that is sound. */
function verifyText(differences: readonly Difference[], notes: readonly string[] = []): string {
  if (differences.length === 0) {
    return 'Verified: every file is as sealed, the journal is whole, and results.json follows from raw/.\nThis proves integrity, not origin: who can run code as the runner can also seal a bundle. Where its workflow attests, `gh attestation verify <archive> --repo <owner/name>` tells where an archive comes from.\n'.concat(
      ...notes.map((note) => `${note}\n`),
    );
  }
  // Whoever adds a file chooses its name: it must not look like lines of ours.
  const lines = differences.map(({ kind, path: file, message }) =>
    terminalText(`${file}: ${message} (${kind})`, MAX_LINE),
  );
  return `Not verified, ${differences.length} differences:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** How a revealed list and a bundle fit together. */
interface ListCheck {
  readonly differences: readonly Difference[];
  /** What was found, for people. */
  readonly said: readonly string[];
}

/**
 * Holds a held-out file against a public bundle (its commitment) or a held-out one (its cells as well). Whoever has the
 * file can do that, offline.
 * @throws RbError RB426 or RB2xx for a file that cannot be used.
 */
async function checkList({ documents }: BundleCheck, file: string): Promise<ListCheck> {
  const list = parseHeldOut(
    await readTextCapped(path.resolve(file), MAX_HELD_OUT_BYTES),
    path.basename(file),
  );
  const { plan } = documents;
  const at = (message: string): ListCheck => ({
    differences: [{ kind: 'held out', path: BUNDLE_FILES.plan, message }],
    said: [],
  });
  if (plan.heldOut === undefined) return at('the plan holds nothing out');
  const commitment = heldOutCommitment(list);
  if (plan.suite !== list.suite || plan.heldOut.commitment !== commitment)
    return at(`the plan committed to ${plan.heldOut.commitment}, but this list has ${commitment}`);
  if (isHeldOutPlan(plan)) {
    const listed = new Set(list.cells.map(placeOf));
    const planned = new Set(plan.cells.map(placeOf));
    if (listed.size !== planned.size || [...planned].some((place) => !listed.has(place)))
      return at('the plan holds other cells than the list');
  }
  return {
    differences: [],
    said: [`The list of ${list.cells.length} held-out cells is the one that the plan committed to.`],
  };
}

/** For a held-out bundle: what the public one must say of it; empty for any other. */
function manifestNote({ documents, manifestSha256 }: BundleCheck): readonly string[] {
  const { plan, run } = documents;
  if (!isHeldOutPlan(plan)) return [];
  return [
    `Held-out bundle of ${run.heldOutOf?.runId ?? 'an unknown run'}: heldout.json of the public bundle must name manifest ${manifestSha256}.`,
  ];
}
