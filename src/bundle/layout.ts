/** Names inside an attempt folder `<workspace>/artifacts/rollout-bench/<run id>/attempt-<n>/`. */
export const BUNDLE_FILES = {
  plan: 'plan.json',
  run: 'run.json',
  journal: 'journal.jsonl',
  /** Only of a run that may stop early against a recorded baseline. */
  baseline: 'baseline.jsonl',
  /** Only of a run that relied on a qualification. */
  qualification: 'qualification.json',
  /** Only of a run with held-out cells: their aggregate. */
  heldOut: 'heldout.json',
  /** Only of a run that needed an approval: what was approved, and that this run took it. */
  approval: 'approval.json',
  reservation: 'reservation.json',
  sessions: 'sessions.md',
  /** Only of a run that recorded something to be looked at: the files beside the bundle. */
  videos: 'videos.json',
  /** Only of a report by the user's own template: what its Markdown was made with. */
  template: 'report-template.mustache',
  raw: 'raw',
  episodes: 'episodes.jsonl',
  csv: 'episodes.csv',
  results: 'results.json',
  junit: 'junit.xml',
  page: 'report.html',
  /** Only of a run that was asked for them. */
  wandb: 'exports/wandb.json',
  modelIndex: 'exports/model-index.yml',
  /** Only of an attempt that a signal ended. */
  interrupted: 'interrupted.json',
  /** Only of an attempt that a bug ended. */
  fatal: 'fatal.json',
  manifest: 'manifest.json',
} as const;

/** Ending of the folder beside an attempt, or a control, with the files that were held back for a secret. */
export const QUARANTINE = '.quarantine';

/** Ending of the folder beside an attempt with its decided report, since a bundle is never written to again. */
export const DECIDED = '.report';

/** Ending of the folder beside an attempt with what was recorded of its episodes to be looked at. */
export const VIDEOS = '.videos';

/** JSON documents that say what entitled a run to begin; a bundle holds those that were needed. */
export const AUTHORITY_FILES = [
  BUNDLE_FILES.qualification,
  BUNDLE_FILES.approval,
  BUNDLE_FILES.reservation,
] as const;

/** `BENCHMARK_REPORT_<suite>_<run id>.md`, with the letters that a file name may have everywhere. */
export function reportFileName(suite: string, runId: string): string {
  const safe = (text: string): string => text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '');
  return `BENCHMARK_REPORT_${safe(suite)}_${safe(runId)}.md`;
}

/** Workspace-relative folder of one attempt. */
export function attemptFolder(runId: string, attempt: number): string {
  return `artifacts/rollout-bench/${runId}/attempt-${attempt}`;
}
