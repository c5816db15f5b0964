import { equalValues } from './equality.ts';
import type { Removal, RemovalResult } from './machine/edits.ts';
import { abandoned, type QueueSnapshot, standing } from './machine/snapshot.ts';

/** May this entry of ours go now? See `Removal`. */
export function judgeRemoval(snapshot: QueueSnapshot, removal: Removal): RemovalResult {
  const entry = snapshot.byId.get(removal.id);
  if (entry === undefined) return 'absent';
  if (removal.when === 'given_up') return 'removed';
  const stands = standing(entry.status);
  if (removal.when === 'pending') return stands === 'pending' ? 'removed' : 'busy';
  if (stands === 'active')
    return removal.when === 'idle' && abandoned(snapshot).includes(entry) ? 'removed' : 'busy';
  if (removal.when === 'idle') return 'removed';
  return equalValues(entry.body(), removal.archived) ? 'removed' : 'unequal';
}
