import { hostFolder } from '../../lane/host-folder.ts';
import { readLedger } from '../../lane/ledger.ts';

/**
 * Whether a run ever owned a session on this host, by the host's ledger, whose line comes before the first byte of a
 * session. What became of the run's own folder says nothing: it can be taken away.
 * @throws RbError RB408 when the ledger cannot be read
 */
export async function queuedBefore(workspace: string, runId: string): Promise<boolean> {
  const records = await readLedger(hostFolder(workspace).ledger);
  return records.some(
    (record) =>
      record.runId === runId &&
      (record.type === 'own' || (record.type === 'past' && record.sessionIds.length > 0)),
  );
}
