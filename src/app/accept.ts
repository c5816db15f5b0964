import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { EXIT, type ExitCode, RbError } from '../errors/rb-error.ts';
import type { Repository } from '../github/client.ts';
import type { BranchOutcome, ReportBranch } from '../github/report-branch.ts';
import { anchorPath, type Baseline, baselinePath, baselineText } from '../history/baseline.ts';
import { buildPublication } from '../history/publication.ts';
import { importOptions } from '../job/imports/import-options.ts';
import { acceptanceProblems } from '../job/judge/acceptance.ts';
import { baselineOf } from '../job/judge/history-record.ts';
import { writeNewFile } from '../job/new-file.ts';
import { siteFiles } from '../job/publish/site.ts';
import { loadResults } from '../job/runs/load-results.ts';
import { textOption, usageProblem } from '../job/text-option.ts';
import type { VerbContext } from '../job/verb.ts';
import { rateText } from '../report/text/format.ts';
import type { Measurement } from '../results/measurement.ts';
import { mergeParts } from '../results/merge-shards.ts';
import { checkBoardOptions, toLeaderboard } from './accept/leaderboard.ts';
import { writeToBranch } from './accept/write-to-branch.ts';

const DEFAULT_BRANCH = 'main';
const MAX_REASON = 1000;

/**
 * `accept`: makes verified bundles the baseline of a branch by a person's decision, on the report branch or, with
 * `--out`, as a file; with `--leaderboard` rows of a board and no baseline. Exit 3 for what cannot be a baseline, 4 when it could not be written, 5 for a damaged bundle.
 */
export async function accept(verb: VerbContext): Promise<ExitCode> {
  const reason = textOption(verb, 'reason', { max: MAX_REASON, example: '"release 2.1, checked by hand"' });
  const branch = verb.options.has('branch')
    ? textOption(verb, 'branch', { max: 200, example: DEFAULT_BRANCH })
    : DEFAULT_BRANCH;
  checkBoardOptions(verb);
  const scratch = await mkdtemp(path.join(tmpdir(), 'rollout-bench-accept-'));
  try {
    const { measurements, problems } = mergeParts(
      await loadResults(verb.args, scratch, importOptions(verb, undefined, null)),
    );
    if (problems.length > 0) throw new RbError(EXIT.verifyMismatch, problems);
    for (const { text } of measurements.flatMap(({ notes }) => notes ?? [])) verb.log.warning(text);
    const refused = measurements.flatMap(acceptanceProblems);
    if (refused.length > 0) throw new RbError(EXIT.refused, refused);
    const at = new Date(verb.clock.now()).toISOString();
    if (verb.options.has('leaderboard')) return await toLeaderboard(verb, measurements, { reason, at });
    const baselines = measurements.map((measurement) =>
      baselineOf(measurement, placeOf(measurement, { branch, now: at }), { by: 'manual', at, reason }),
    );
    const out = verb.options.get('out');
    const anchor = verb.options.has('anchor');
    const where =
      out === undefined ? await toBranch(verb, baselines, { now: at, anchor }) : await toFile(out, baselines);
    const rates = measurements.map(({ results }) => candidateText(results));
    verb.stdout(verb.json ? jsonOf(baselines, where) : textOf(baselines, where, { anchor, rates }));
    return EXIT.ok;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function placeOf({ run }: Measurement, { branch, now }: { branch: string; now: string }) {
  const { headCommit } = run.source;
  const commit = typeof headCommit === 'string' ? headCommit : null;
  return { branch, commit, event: null, pullRequest: null, runUrl: null, now };
}

/** Where the baselines went. */
interface Written {
  readonly file: string | null;
  readonly reportBranch: string | null;
  readonly commit: string | null;
}

async function toFile(out: string, baselines: readonly Baseline[]): Promise<Written> {
  const [baseline, ...others] = baselines;
  if (baseline === undefined || others.length > 0) {
    throw usageProblem(
      'option --out',
      'one file holds the baseline of one suite.',
      'Accept one suite at a time.',
    );
  }
  await writeNewFile(out, baselineText(baseline));
  return { file: out, reportBranch: null, commit: null };
}

async function toBranch(
  verb: VerbContext,
  baselines: readonly Baseline[],
  { now, anchor }: { readonly now: string; readonly anchor: boolean },
): Promise<Written> {
  const { reportBranch } = verb.inputs;
  const { commit } = await writeToBranch(verb, (branch, repository) =>
    publishBaselines(branch, { baselines, branch: reportBranch, repository, now, anchor }),
  );
  return { file: null, reportBranch, commit };
}

interface Accepted {
  readonly baselines: readonly Baseline[];
  readonly branch: string;
  readonly repository: Repository;
  readonly now: string;
  /** They become anchors, and the baselines stay. */
  readonly anchor: boolean;
}

function publishBaselines(branch: ReportBranch, accepted: Accepted): Promise<BranchOutcome> {
  const headers = accepted.baselines.map(({ header }) => header);
  return branch.publish({
    branch: accepted.branch,
    build: (read) =>
      buildPublication(
        {
          records: [],
          baselines: accepted.anchor ? [] : accepted.baselines,
          anchors: accepted.anchor ? accepted.baselines.map((baseline) => ({ baseline, chosen: true })) : [],
          openPulls: null,
          files: [],
          site: siteFiles(accepted.repository, accepted.now),
        },
        read,
      ),
    message: {
      subject: `Accept ${headers.map(({ suite, runId }) => `${runId} as ${accepted.anchor ? 'anchor' : 'baseline'} of ${suite}`).join(', ')}`,
      runUrl: null,
      planDigests: headers.map(({ planDigest }) => planDigest),
      bundleSha256s: headers.flatMap(({ bundleSha256 }) => (bundleSha256 === null ? [] : [bundleSha256])),
    },
  });
}

function jsonOf(baselines: readonly Baseline[], where: Written): string {
  return `${JSON.stringify({ ...where, accepted: baselines.map(({ header }) => header) }, null, 2)}\n`;
}

function textOf(
  baselines: readonly Baseline[],
  { file, reportBranch, commit }: Written,
  { anchor, rates }: { readonly anchor: boolean; readonly rates: readonly string[] },
): string {
  const role = anchor ? 'anchor' : 'baseline';
  const lines = baselines.map(({ header }, at) => {
    const what = `${header.runId} attempt ${header.attempt}, ${header.cells} cells of ${header.suite}, ${rates[at] ?? ''},`;
    if (file !== null) return `${what} written to ${file}. Compare with it: ${role}: ${file}\n`;
    const path = anchor ? anchorPath(header.suite, header.branch) : baselinePath(header.suite, header.branch);
    return `${what} is now the ${role} of ${header.branch}: ${reportBranch} ${path} (${commit})\n`;
  });
  return `${lines.join('')}This is your decision: no verdict of these runs was asked.\n`;
}

/** `candidate at 84.0% (42/50)`: a baseline is of one arm, and whoever accepts should see what. Pure. */
function candidateText({ arms }: Measurement['results']): string {
  const arm = arms.find((each) => each.arm === 'candidate');
  return arm === undefined ? 'no candidate' : `candidate at ${rateText(arm.successRate, arm)}`;
}
