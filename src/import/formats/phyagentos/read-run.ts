import { parsedJson } from '../../../base/json-text.ts';
import type { Imported, ImportedEpisode, ImportFault, ImportSource } from '../../importer/importer.ts';
import { issueText, readSourceText } from '../../importer/read-source.ts';
import { row, rowEpisode } from './rows.ts';

/**
 * attempts.jsonl or episodes.jsonl of a run of the July runtime. Only first attempts count: what a verifier had tried
 * again is its help, not the policy's first word.
 */
export function fromRun(source: ImportSource): Imported {
  const faults: ImportFault[] = [];
  const notes: string[] = [];
  const episodes: ImportedEpisode[] = [];
  let later = 0;
  const lines = readSourceText(source).split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const at = `${source.name}:${index + 1}`;
    const parsed = row.safeParse(parsedJson(line));
    if (!parsed.success) {
      // A run that was killed leaves half a line at the end.
      if (index === lines.length - 1) notes.push(`${at} is cut off and is not counted.`);
      else faults.push({ at, message: `it is no attempt: ${issueText(parsed.error)}` });
      continue;
    }
    const { attempt_index: attempt, first_attempt_success: first } = parsed.data;
    // An episode tells its first attempt apart; an attempt is one.
    if (first != null) episodes.push(rowEpisode({ ...parsed.data, success: first }, null, at, faults));
    else if ((attempt ?? 0) > 0) later += 1;
    else episodes.push(rowEpisode(parsed.data, null, at, faults));
  }
  if (later > 0) notes.push(`${later} later attempts, which a verifier had asked for, are not counted.`);
  return {
    title: 'artifacts/benchmarks of the July runtime of PhyAgentOS',
    version: null,
    cellsBy: null,
    matching:
      'Attempts name task and initial state; of each episode the first attempt counts, by the simulator’s own word.',
    episodes,
    declared: [],
    figures: [],
    notes,
    faults,
    config: {},
  };
}
