import { dumpYaml } from '../workspace/dump-yaml.ts';
import type { QueueEntry } from './machine/snapshot.ts';

/** An entry as text: its own lines, or laid out anew where the document has another layout than the runtime's. */
export function entryText(entry: QueueEntry): string {
  return entry.lines() ?? dumpYaml([entry.body()]);
}
