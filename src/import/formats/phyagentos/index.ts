import * as path from 'node:path';
import type { Imported, Importer, ImportInput, ImportSource } from '../../importer/importer.ts';
import { misread } from '../../importer/read-source.ts';
import { fromRun } from './read-run.ts';
import { fromSweep } from './read-sweep.ts';

/** Ranks of the July runtime: attempts hold the simulator's own first word, episodes what a verifier made of it. */
const RUN_FILES: readonly string[] = ['attempts.jsonl', 'episodes.jsonl', 'summary.json'];

/** A sweep of PhyAgentOS, or what its July runtime leaves in artifacts/benchmarks/<run id>/. */
export const phyAgentOs: Importer = {
  format: 'phyagentos',
  title: 'PhyAgentOS: summary of a sweep, or artifacts/benchmarks/<run id>/ of July',
  detect: ({ name, text }) => {
    if (/"benchmark_name"\s*:/.test(text) && /"rows"\s*:\s*\[/.test(text)) return true;
    const file = path.posix.basename(name);
    if (file === 'summary.json') return /"execution_mode"\s*:\s*"target_native/.test(text);
    return RUN_FILES.includes(file) && /^\s*\{[^\n]{0,4000}"policy_session_id"\s*:/.test(text);
  },
  read,
};

function read({ sources }: ImportInput): Imported {
  const isOfRun = ({ name }: ImportSource): boolean => RUN_FILES.includes(path.posix.basename(name));
  const ofRun = (source: ImportSource): boolean => isOfRun(source) && source.name.endsWith('.jsonl');
  const sweeps = sources.filter((source) => !ofRun(source));
  const runs = sources.filter(ofRun);
  if (runs.length === 0) return fromSweep(sweeps);
  const folders = new Set(runs.map(({ name }) => path.posix.dirname(name)));
  if (folders.size > 1)
    throw misread([...folders].join(' and '), 'they are of two runs; import one at a time');
  const best = RUN_FILES.flatMap((file) => runs.filter(({ name }) => path.posix.basename(name) === file))[0];
  if (best === undefined) throw misread(runs[0]?.name ?? '', 'it holds no episodes');
  return fromRun(best);
}
