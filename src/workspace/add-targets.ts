import { dumpYaml } from './dump-yaml.ts';
import { addWrittenTargets } from './target-edits.ts';

/** Puts targets (mappings with the document's own key names) behind the last one in TARGETS.md, as `addWrittenTargets`. */
export function addTargets(text: string, entries: readonly Record<string, unknown>[]): string {
  return entries.length === 0 ? text : addWrittenTargets(text, dumpYaml(entries));
}
