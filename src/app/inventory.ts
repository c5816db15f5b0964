import * as path from 'node:path';
import { EXIT, type ExitCode, errorOf, failure, RbError } from '../errors/rb-error.ts';
import { lastRunHere } from '../job/runs/last-run.ts';
import type { AttemptEntry, ControlEntry, RunEntry } from '../job/runs/run-entry.ts';
import { scanRuns } from '../job/runs/scan-runs.ts';
import type { VerbContext } from '../job/verb.ts';
import { terminalText } from '../report/text/escape.ts';
import { few } from '../verdict/few.ts';
import { workspaceProblems } from '../workspace/workspace-folder.ts';
import { lookDeeply } from './inventory/deep.ts';
import { type InventoryPage, pageOf, snapshotOf } from './inventory/page.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/**
 * `inventory`: the runs of a workspace and what each left on the host, page by page. Exit 0 when everything was looked
 * at, 3 for a folder
 * that is no workspace, 4 when something could not be looked at, 5 when the inventory is not the one that `--post-check` names.
 */
export async function inventory(verb: VerbContext): Promise<ExitCode> {
  const { options } = verb;
  const workspace = path.resolve(verb.inputs.workspace ?? '.');
  const limit = limitOf(options.get('limit'));
  const folder = await workspaceProblems(workspace);
  if (folder.length > 0) throw new RbError(EXIT.refused, folder);
  const scan = await scanRuns(workspace);
  const wanted = options.get('post-check');
  if (wanted !== undefined && wanted !== snapshotOf(scan)) throw changedSince(wanted, snapshotOf(scan));
  const page = pageOf(scan, { limit, pageToken: options.get('page-token') ?? null });
  const shown = options.has('deep') ? await lookDeeply(page, workspace, verb) : page;
  verb.stdout(
    verb.json
      ? `${JSON.stringify(shown, null, 2)}\n`
      : inventoryText(shown, await lastRunHere(workspace, verb.signal)),
  );
  return shown.complete ? EXIT.ok : EXIT.noVerdict;
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw errorOf('RB112', {
    where: 'option --limit',
    message: `must be an integer from 1 to ${MAX_LIMIT}.`,
    value: JSON.stringify(text?.slice(0, 20)),
    fix: `Write for example --limit ${DEFAULT_LIMIT}.`,
  });
}

function changedSince(wanted: string, found: string): RbError {
  return failure(EXIT.verifyMismatch, {
    code: 'RB522',
    where: 'option --post-check',
    message: `the inventory is not the one that was looked at; now it is ${found}.`,
    value: wanted.slice(0, 80),
    fix: 'List again and compare, or find out who changed the folder.',
  });
}

const MAX_LINE = 1000;

/** The page in words, with how the newest run goes on where it did not come to its end. Pure. */
export function inventoryText(page: InventoryPage, last: string | null = null): string {
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
  if (last !== null) lines.push(`Last: ${last}`);
  // Names of folders are anybody's, and must not look like lines of ours.
  const shown = [...lines, `Snapshot: ${snapshot}`].map((line) => terminalText(line, MAX_LINE));
  return `${shown.join('\n')}\n`;
}

function runLines(run: RunEntry): string[] {
  const { runId, attempts, qualification } = run;
  const shown = attempts.map((attempt) => `${runId}  ${attemptText(attempt)}`);
  if (qualification !== undefined) return [`${runId}  qualification, ${qualificationText(run)}`, ...shown];
  return attempts.length === 0 ? [`${runId}  no attempt`] : shown;
}

function qualificationText({ qualification, controls = [], qualificationFaults = null }: RunEntry): string {
  const names = (wanted: (control: ControlEntry) => boolean): string[] =>
    controls.filter(wanted).map(({ name }) => name);
  const looked = names(({ sealValid }) => sealValid !== null);
  const changed = names(({ sealValid }) => sealValid === false);
  const unsealed = names(({ manifestSha256 }) => manifestSha256 === null);
  return [
    qualification ?? 'unreadable',
    `${controls.length} ${controls.length === 1 ? 'control' : 'controls'}`,
    ...(unsealed.length === 0 ? [] : [`unsealed: ${unsealed.join(', ')}`]),
    ...(looked.length > 0 && changed.length === 0 ? ['sound'] : []),
    ...(changed.length === 0 ? [] : [`NOT what was sealed: ${changed.join(', ')}`]),
    ...(qualificationFaults === null || qualificationFaults.length === 0
      ? []
      : [`NOT what its own evidence says: ${few(qualificationFaults)}`]),
  ].join(', ');
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
