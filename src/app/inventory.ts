import * as path from 'node:path';
import { verifyBundle } from '../bundle/verify.ts';
import { EXIT, type ExitCode, RbError } from '../errors/rb-error.ts';
import type { AttemptEntry, RunEntry } from '../job/runs/run-entry.ts';
import { scanRuns } from '../job/runs/scan-runs.ts';
import type { VerbContext } from '../job/verb.ts';
import { BENCH_FOLDER } from '../lane/host-folder.ts';
import { terminalText } from '../report/text/escape.ts';
import { type InventoryPage, pageOf, snapshotOf } from './inventory/page.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/**
 * `inventory`: the runs of a workspace and what each left on the host, page by page. Exit 0 when everything was looked
 * at, 4 when something could not be, 5 when the inventory is not the one that `--post-check` names.
 */
export async function inventory(verb: VerbContext): Promise<ExitCode> {
  const { options } = verb;
  const workspace = path.resolve(verb.inputs.workspace ?? '.');
  const limit = limitOf(options.get('limit'));
  const scan = await scanRuns(workspace);
  const wanted = options.get('post-check');
  if (wanted !== undefined && wanted !== snapshotOf(scan)) throw changedSince(wanted, snapshotOf(scan));
  const page = pageOf(scan, { limit, pageToken: options.get('page-token') ?? null });
  const shown = options.has('deep') ? await deeply(page, workspace) : page;
  verb.stdout(verb.json ? `${JSON.stringify(shown, null, 2)}\n` : inventoryText(shown));
  return shown.complete ? EXIT.ok : EXIT.noVerdict;
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new RbError(EXIT.usage, [
    {
      code: 'RB112',
      where: 'option --limit',
      message: `must be an integer from 1 to ${MAX_LIMIT}.`,
      value: JSON.stringify(text?.slice(0, 20)),
      fix: `Write for example --limit ${DEFAULT_LIMIT}.`,
      severity: 'fatal',
    },
  ]);
}

/** Every file of the page's sealed attempts hashed, and their results computed again. */
async function deeply(page: InventoryPage, workspace: string): Promise<InventoryPage> {
  const runs: RunEntry[] = [];
  for (const { runId, attempts } of page.runs) {
    const checked: AttemptEntry[] = [];
    for (const attempt of attempts) {
      const folder = path.join(workspace, BENCH_FOLDER, runId, `attempt-${attempt.attempt}`);
      checked.push(attempt.state === 'sealed' ? { ...attempt, sealValid: await isSound(folder) } : attempt);
    }
    runs.push({ runId, attempts: checked });
  }
  return { ...page, runs };
}

async function isSound(bundleDir: string): Promise<boolean> {
  try {
    return (await verifyBundle(bundleDir)).every(({ kind }) => kind === 'held back');
  } catch (error) {
    if (error instanceof RbError) return false;
    throw error;
  }
}

function changedSince(wanted: string, found: string): RbError {
  return new RbError(EXIT.verifyMismatch, [
    {
      code: 'RB522',
      where: 'option --post-check',
      message: `the inventory is not the one that was looked at; now it is ${found}.`,
      value: wanted.slice(0, 80),
      fix: 'List again and compare, or find out who changed the folder.',
      severity: 'fatal',
    },
  ]);
}

const MAX_LINE = 1000;

/** The page in words. Pure. */
export function inventoryText(page: InventoryPage): string {
  const { matched, offset, runs, rejected, nextPageToken, snapshot } = page;
  const lines = runs.flatMap(runLines);
  if (matched === 0) lines.push('No run is here.');
  else
    lines.push(
      '',
      runs.length === 0
        ? `No more runs; ${matched} in all.`
        : `Runs ${offset + 1} to ${offset + runs.length} of ${matched}.`,
    );
  if (rejected.length > 0) {
    lines.push('', 'Could not be looked into, so that runs may be missing:');
    lines.push(...rejected.map(({ path: place, reason }) => `  ${place}: ${reason}`));
  }
  if (nextPageToken !== null) lines.push(`Next page: --page-token ${nextPageToken}`);
  // Names of folders are anybody's, and must not look like lines of ours.
  const shown = [...lines, `Snapshot: ${snapshot}`].map((line) => terminalText(line, MAX_LINE));
  return `${shown.join('\n')}\n`;
}

function runLines({ runId, attempts, qualification }: RunEntry): string[] {
  if (qualification !== undefined) return [`${runId}  qualification, ${qualification}`];
  if (attempts.length === 0) return [`${runId}  no attempt`];
  return attempts.map((attempt) => `${runId}  ${attemptText(attempt)}`);
}

function attemptText(entry: AttemptEntry): string {
  const seal = entry.sealValid === null ? '' : entry.sealValid ? ', sound' : ', NOT what was sealed';
  const rates = (entry.arms ?? []).map(
    ({ arm, planned, valid, successes }) => `${arm} ${successes}/${valid} of ${planned} planned`,
  );
  return [
    `attempt ${entry.attempt}`,
    `${entry.state}${seal}`,
    ...(entry.ending === null ? [] : [entry.ending]),
    entry.suite ?? 'suite unknown',
    ...(entry.evidenceClass === 'unplanned' ? ['unplanned'] : []),
    ...(entry.heldOutOf === undefined ? [] : [`held-out cells of ${entry.heldOutOf}, not for publishing`]),
    ...(rates.length > 0 ? rates : [entry.resultsProblem ?? 'no results']),
    entry.report === null ? 'without report' : 'report',
    entry.bytes === null ? 'size unknown' : `${entry.bytes} bytes`,
    ...(entry.rawRemoved ? ['raw evidence removed'] : []),
    ...(entry.quarantine ? ['files in quarantine'] : []),
    entry.modifiedAt ?? 'never written',
  ].join(', ');
}
