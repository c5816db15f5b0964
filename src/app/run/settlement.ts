import * as path from 'node:path';
import { sha256Of } from '../../bundle/hash-file.ts';
import { RbError } from '../../errors/rb-error.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { foldLedger, readLedger } from '../../lane/ledger.ts';
import { documentDigest } from '../../plan/document-digest.ts';
import { equalValues } from '../../queue/equality.ts';
import { foreignChanges } from '../../queue/foreign-entries.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import type { QueueSnapshot } from '../../queue/snapshot.ts';
import { readTargetsText } from '../../queue/targets-document.ts';
import { MAX_CHANGES, MAX_NAMES, RUNTIME_EDITED, type Settlement } from '../../results/settlement-facts.ts';
import { readTextCapped, resolveInside } from '../../workspace/atomic-file.ts';
import { parseContract } from '../../workspace/contracts.ts';
import { MAX_DOCUMENT_BYTES } from '../../workspace/document-limit.ts';
import { parseSkillRuntimes } from '../../workspace/skillruntimes.ts';
import type { OpenHost } from './open-host.ts';

type Entries = ReadonlyMap<string, unknown>;
type Change = Settlement['changes'][number];

/** The documents of a workspace at one moment; null for what could not be read. */
export interface WorkspaceLook {
  readonly sessions: QueueSnapshot | null;
  readonly targets: Entries | null;
  readonly skillruntimes: Entries | null;
  readonly contract: unknown;
  /** SHA-256 of RUNTIME.md, `absent` where there is none. */
  readonly runtimeMd: string;
  /** What of it is ours by the ledger, and so nobody else's business. */
  readonly ours: { readonly sessions: ReadonlySet<string>; readonly targets: ReadonlySet<string> };
}

type Measured = Pick<OpenHost, 'workspace' | 'base' | 'target' | 'skillruntime'>;

/** Looks at everything a run must leave as it was. Reads each document once, writes nothing. */
export async function lookAtWorkspace({ workspace, target }: Measured): Promise<WorkspaceLook> {
  const text = (file: string): Promise<string | null> =>
    readable(() => readTextCapped(path.join(workspace, file), MAX_DOCUMENT_BYTES));
  const [sessions, targets, skills, runtime] = await Promise.all(
    ['SESSIONS.md', 'TARGETS.md', 'SKILLRUNTIME.md', 'RUNTIME.md'].map(text),
  );
  const contract = await readable(async () =>
    readTextCapped(await resolveInside(workspace, target.contractRef), MAX_DOCUMENT_BYTES),
  );
  const holdings = foldLedger(await readLedger(hostFolder(workspace).ledger));
  return {
    sessions: sessions == null ? null : readSessionsText(sessions),
    targets: targets == null ? null : targetEntries(targets),
    skillruntimes: skills == null ? null : skillEntries(skills),
    contract: contract === null ? null : (parseContract(contract, '').document?.raw ?? null),
    runtimeMd: runtime == null ? 'absent' : sha256Of(runtime),
    ours: {
      sessions: new Set(holdings.sessions.keys()),
      targets: new Set(holdings.cellTargets.keys()),
    },
  };
}

async function readable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RbError) return null;
    throw error;
  }
}

/** A document of targets without a target is one that cannot be read. */
function targetEntries(text: string): Entries | null {
  const entries = readTargetsText(text);
  return entries.size === 0 ? null : entries;
}

function skillEntries(text: string): Entries | null {
  const { document } = parseSkillRuntimes(text);
  if (document === null) return null;
  // Of two entries with one id the runtime looks at the first.
  return new Map(document.toReversed().map(({ id, raw }) => [id, raw]));
}

/**
 * What a resume compares, so that one run never measures two setups. The endpoint is part of the entries; what somebody
 * adds to the documents beside them is not.
 */
export function measuredDigest(host: Measured, look: WorkspaceLook): string {
  const { entry: target, contract } = host.base;
  const skillruntime = look.skillruntimes?.get(host.skillruntime) ?? null;
  return documentDigest({ target, contract, skillruntime });
}

/** Holds the workspace after a run against what it was before. Pure. */
export function settle(host: Measured, before: WorkspaceLook, after: WorkspaceLook): Settlement {
  const foreign =
    before.sessions === null || after.sessions === null
      ? null
      : foreignChanges(before.sessions, after.sessions, (id) => before.ours.sessions.has(id));
  const measured = measuredChanges(host, before, after);
  const workspace = workspaceChanges(host, before, after);
  const others =
    foreign === null
      ? null
      : [
          ...change(
            'foreign',
            'finished entries in SESSIONS.md that say something else now',
            foreign.rewritten,
          ),
          ...change('foreign', 'entries gone from SESSIONS.md', foreign.disappeared),
          ...change('foreign', 'entries in SESSIONS.md set back to an earlier state', foreign.movedBack),
        ];
  const answer = (found: readonly Change[] | null): boolean | null =>
    found === null ? null : found.length === 0;
  return {
    measuredUnchanged: answer(measured),
    workspaceUnchanged: answer(workspace),
    foreignUnchanged: answer(others),
    foreignEntries: foreign?.compared ?? null,
    changes: [...(measured ?? []), ...(workspace ?? []), ...(others ?? [])].slice(0, MAX_CHANGES),
  };
}

/** Against what the run really used, which was read before its first write. */
function measuredChanges(
  { base, skillruntime }: Measured,
  before: WorkspaceLook,
  after: WorkspaceLook,
): Change[] | null {
  const skill = before.skillruntimes?.get(skillruntime);
  if (after.targets === null || after.skillruntimes === null || skill === undefined) return null;
  return [
    ...one('the entry of the target in TARGETS.md', equalValues(after.targets.get(base.id), base.entry)),
    ...one('the contract file of the target', equalValues(after.contract, base.contract)),
    ...one(
      'the entry of the skill runtime in SKILLRUNTIME.md',
      equalValues(after.skillruntimes.get(skillruntime), skill),
    ),
  ];
}

function one(what: string, isEqual: boolean): Change[] {
  return isEqual ? [] : [{ concerns: 'measured', what: `${what} is another one`, names: [] }];
}

function workspaceChanges(
  { base, skillruntime }: Measured,
  before: WorkspaceLook,
  after: WorkspaceLook,
): Change[] | null {
  if (before.targets === null || after.targets === null) return null;
  if (before.skillruntimes === null || after.skillruntimes === null) return null;
  const targets = changedEntries(before.targets, after.targets);
  const skills = changedEntries(before.skillruntimes, after.skillruntimes);
  return [
    ...change(
      'workspace',
      'other targets in TARGETS.md changed or gone',
      targets.filter((id) => id !== base.id && !before.ours.targets.has(id)),
    ),
    ...change(
      'workspace',
      'other skill runtimes in SKILLRUNTIME.md changed or gone',
      skills.filter((id) => id !== skillruntime),
    ),
    ...(before.runtimeMd === after.runtimeMd
      ? []
      : [{ concerns: 'workspace' as const, what: RUNTIME_EDITED, names: [] }]),
  ];
}

/** New ones change nothing that was there. */
function changedEntries(before: Entries, after: Entries): string[] {
  return [...before].filter(([id, entry]) => !equalValues(entry, after.get(id))).map(([id]) => id);
}

function change(concerns: Change['concerns'], what: string, names: readonly string[]): Change[] {
  if (names.length === 0) return [];
  return [{ concerns, what: `${what} (${names.length})`, names: names.slice(0, MAX_NAMES) }];
}

/** What to say aloud of a settlement; nothing when all stayed as it was. Names are for the host's own log. Pure. */
export function settlementWarnings({
  changes,
  foreignUnchanged,
  workspaceUnchanged,
  measuredUnchanged,
}: Settlement): string[] {
  const said = changes
    .filter(({ concerns }) => concerns !== 'measured')
    .map(({ what }) => `Somebody else edited the workspace during the run: ${what}.`);
  const unknown = [measuredUnchanged, workspaceUnchanged, foreignUnchanged].includes(null);
  if (!unknown) return said;
  return [
    ...said,
    'Whether the documents of the workspace stayed as they were during the run is not known: one of them could not be read.',
  ];
}
