import * as path from 'node:path';
import { sha256Of } from '../../base/sha256.ts';
import { RbError } from '../../errors/rb-error.ts';
import { readTextCapped, resolveInside } from '../../files/atomic-file.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import { foldLedger, readLedger } from '../../lane/ledger.ts';
import { documentDigest } from '../../plan/document-digest.ts';
import type { QueueSnapshot } from '../../queue/machine/snapshot.ts';
import { readSessionsText } from '../../queue/sessions-document.ts';
import { readTargetsText } from '../../queue/targets-document.ts';
import { parseContract } from '../../workspace/contracts.ts';
import { MAX_DOCUMENT_BYTES } from '../../workspace/document-limit.ts';
import { parseSkillRuntimes } from '../../workspace/skillruntimes.ts';
import type { OpenHost } from './open-host.ts';

/** The entries of a document by their ids. */
export type Entries = ReadonlyMap<string, unknown>;

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

/** What a run measures on. */
export type MeasuredHost = Pick<OpenHost, 'workspace' | 'base' | 'target' | 'skillruntime'>;

/** Looks at everything a run must leave as it was. Reads each document once, writes nothing. */
export async function lookAtWorkspace({ workspace, target }: MeasuredHost): Promise<WorkspaceLook> {
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
export function measuredDigest(host: MeasuredHost, look: WorkspaceLook): string {
  const { entry: target, contract } = host.base;
  const skillruntime = look.skillruntimes?.get(host.skillruntime) ?? null;
  return documentDigest({ target, contract, skillruntime });
}
