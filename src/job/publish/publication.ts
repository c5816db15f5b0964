import { reportFileName } from '../../bundle/layout.ts';
import type { BranchSnapshot } from '../../github/branch-snapshot.ts';
import type { CheckRun } from '../../github/check-run.ts';
import { conclusionOf } from '../../github/check-run.ts';
import type { GitHubClient, Repository } from '../../github/client.ts';
import { encodeSegment } from '../../history/branch-segment.ts';
import { reportFolder } from '../../history/ended-pulls.ts';
import type { Publication } from '../../history/publication.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { checkAnnotations } from '../../report/check-output.ts';
import { commentMarkdown } from '../../report/comment/comment.ts';
import type { CommentInput } from '../../report/comment/comment-input.ts';
import { comparisonView } from '../../report/comment/comparison.ts';
import type { CommentMarker } from '../../report/comment/marker.ts';
import { SUMMARY_BUDGET, summaryMarkdown } from '../../report/summary.ts';
import { rerunCommand } from '../../report/view/rerun.ts';
import { type AssessedSuite, renderingOf, viewOf } from '../judge/assess-suite.ts';
import { acceptedBy, anchorsOf, baselineOf, historyRecordOf } from '../judge/history-record.ts';
import { averageOf, verdictOf } from '../judge/judge-together.ts';
import type { EventFacts } from '../judge/ref-standing.ts';
import type { Environment } from '../verb.ts';
import { reportUrl } from './page-links.ts';
import { commentKey } from './progress-comment.ts';
import type { Published } from './publish.ts';
import type { ReportPublication } from './publish-report.ts';
import { releaseNote } from './release-archives.ts';
import { siteFiles } from './site.ts';
import type { PageAddresses } from './upload-pages.ts';
import type { ReportFile } from './write-report.ts';

/** Everything that decides what is published where. */
interface PublicationRequest {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly serverUrl: string;
  readonly env: Environment;
  readonly suites: readonly AssessedSuite[];
  /** Input `suite`; null when it was left to the target or the bundles. */
  readonly requestedSuites: readonly string[] | null;
  readonly files: readonly ReportFile[];
  readonly facts: EventFacts;
  /** Where a browser opens the decided pages that were uploaded. */
  readonly pages: PageAddresses;
  /** The artifact that was uploaded before, for links. */
  readonly artifactId: number | null;
  readonly release: ReportPublication['release'];
  readonly check: CheckRun | null;
  readonly wanted: {
    readonly comment: Inputs['comment'];
    readonly branch: string | null;
    /** Where Pages serves the branch, null when it does not. */
    readonly pagesUrl: string | null;
  };
  readonly snapshot: BranchSnapshot | null;
  readonly run: {
    readonly id: number;
    readonly attempt: number;
    readonly url: string | null;
    readonly job: string;
  };
  /** UTC, ISO 8601. */
  readonly now: string;
}

/** What the publishers of a report send. Pure but for the clients that it hands on. */
export function publicationOf(request: PublicationRequest): ReportPublication {
  const { client, repository, release, suites, check, facts, wanted } = request;
  const text = summaryOf(suites);
  const summary = (links: Published): string => text + noteOf(request, links);
  return {
    client,
    repository,
    release,
    artifact: null,
    summary: {
      path: request.env.GITHUB_STEP_SUMMARY,
      markdown: summary,
    },
    branch: wanted.branch === null ? null : branchOf(request, wanted.branch),
    check:
      check === null
        ? null
        : {
            run: check,
            closing: (links) => closingOf(request, summary(links)),
          },
    comment: wanted.comment === 'off' || facts.pull === null ? null : commentOf(request),
  };
}

function noteOf({ release, env, now }: PublicationRequest, links: Published): string {
  if (release === null) return '';
  const days = Number(env.GITHUB_RETENTION_DAYS);
  const retentionDays = Number.isInteger(days) && days > 0 ? days : null;
  return releaseNote({ tag: release.tag, attached: links.release, retentionDays, now });
}

/** The job summary of all suites, inside its budget. Pure. */
export function summaryOf(suites: readonly AssessedSuite[]): string {
  const budget = Math.floor(SUMMARY_BUDGET / Math.max(1, suites.length));
  return suites.map((suite) => summaryMarkdown(viewOf(suite, 'published', null), budget)).join('\n');
}

function branchOf(request: PublicationRequest, name: string): ReportPublication['branch'] {
  const { suites, facts, repository, run, now, snapshot } = request;
  const { branch } = facts;
  if (branch === null || facts.unauthenticated) return null;
  const place = {
    branch,
    commit: facts.headCommit,
    event: facts.event,
    runUrl: run.url,
    now,
    pullRequest: pullNumber(facts),
  };
  const publication: Publication = {
    records: suites.map((suite) => historyRecordOf(suite, place)).filter((record) => record !== null),
    baselines: suites.flatMap((suite) => {
      const by = acceptedBy(suite, facts.onBranch ? facts.event : null);
      return by === null ? [] : [baselineOf(suite.measurement, place, { by, at: now, reason: null })];
    }),
    anchors: anchorsOf(request, place),
    openPulls: null,
    files: branchFiles(request, branch),
    site: siteFiles(repository, now),
  };
  const words = {
    subject: `Benchmark of ${suites.map(({ measurement }) => measurement.plan.suite).join(', ')} on ${branch}`,
    runUrl: run.url,
    planDigests: suites.map(({ measurement }) => measurement.planDigest),
    bundleSha256s: suites.flatMap(({ measurement }) => measurement.parts.map((part) => part.manifestSha256)),
  };
  return { name, publication, words, ...(snapshot === null ? {} : { snapshot }) };
}

/** Only the newest report of each suite and branch is kept as files; the history keeps the numbers of all. */
function branchFiles({ suites, files }: PublicationRequest, branch: string): Publication['files'] {
  return suites.flatMap(({ measurement }) => {
    const { suite } = measurement.plan;
    const folder = `${encodeSegment(suite)}/`;
    const report = reportFileName(suite, measurement.run.runId);
    return files
      .filter((file) => file.path.startsWith(folder))
      .map((file) => ({ name: file.path.slice(folder.length), content: file.content }))
      .filter(({ name }) => name === report || name === 'report.html' || name.startsWith('charts/'))
      .map(({ name, content }) => ({
        path: `${reportFolder(suite, branch)}/${name === report ? 'README.md' : name}`,
        content,
      }));
  });
}

function pullNumber({ pull }: EventFacts): number | null {
  if (pull?.kind === 'event') return pull.pull.number;
  if (pull?.kind === 'number') return pull.number;
  return null;
}

function closingOf(
  { suites }: PublicationRequest,
  summary: string,
): ReturnType<NonNullable<ReportPublication['check']>['closing']> {
  const verdict = verdictOf(suites) ?? 'INVALID';
  const strict = suites.some(({ measurement }) => measurement.plan.thresholds.onInconclusive === 'fail');
  return {
    conclusion: conclusionOf(verdict, strict ? 'fail' : 'pass'),
    title: titleOf(suites, verdict),
    summary,
    text: null,
    annotations: suites.flatMap((suite) => checkAnnotations(viewOf(suite, 'published', null))),
  };
}

function titleOf(suites: readonly AssessedSuite[], verdict: string): string {
  const rates = suites.map((suite) => {
    const { aggregate, caution } = viewOf(suite, 'published', null);
    const isSupplied = suite.measurement.run.evidenceClass === 'imported';
    const weak = isSupplied
      ? ' (supplied by the measured job)'
      : caution === null
        ? ''
        : ' (session evidence)';
    return `${suite.measurement.plan.suite} ${aggregate[0]?.rate ?? 'not run'}${weak}`;
  });
  return `${verdict}: ${rates.join(', ')}`;
}

/** The page of this very run, that a click opens; else what the branch shows. */
function pageUrl(request: PublicationRequest, suite: string, commit: string | null): string | null {
  return request.pages.get(suite) ?? (commit === null ? null : reportUrl(request, suite, commit));
}

function commentOf(request: PublicationRequest): ReportPublication['comment'] {
  const { facts, suites, run } = request;
  if (facts.pull === null) return null;
  const marker: CommentMarker = {
    key: commentKey(
      request.requestedSuites,
      suites.map(({ measurement }) => measurement.plan.suite),
    ),
    runId: run.id,
    attempt: run.attempt,
    head: facts.headCommit ?? '0'.repeat(40),
    state: 'finished',
  };
  const begin = request.wanted.comment !== 'on-change' || somethingChanged(suites);
  return { pull: facts.pull, marker, begin, markdown: (links) => commentText(request, marker, links) };
}

/** Whether anybody would want to read of it: a verdict that is no PASS, or an episode that came out otherwise. */
function somethingChanged(suites: readonly AssessedSuite[]): boolean {
  return (
    verdictOf(suites) !== 'PASS' ||
    suites.some(({ comparison }) => comparison !== null && comparison.regressed + comparison.fixed > 0)
  );
}

function commentText(request: PublicationRequest, marker: CommentMarker, links: Published): string {
  const { suites, run, facts, serverUrl, repository } = request;
  const commit = links.branch?.commit ?? null;
  const measured = new Map(suites.map((suite) => [suite.measurement.plan.suite, suite.measurement]));
  const input: CommentInput = {
    marker,
    verdict: verdictOf(suites) ?? 'INVALID',
    suites: suites.map((suite) => ({
      // The average is said once, above all suites.
      view: viewOf({ ...suite, average: null }, 'published', null),
      comparison: comparisonView(renderingOf(suite, 'published', null), {
        comparison: suite.comparison,
        baseline: suite.baselineRecords,
        links: [],
      }),
      pageUrl: pageUrl(request, suite.measurement.plan.suite, commit),
    })),
    runUrl: run.url,
    artifactUrl:
      request.artifactId === null || run.url === null ? null : `${run.url}/artifacts/${request.artifactId}`,
    reportUrl: commit === null ? null : `${serverUrl}/${repository.owner}/${repository.repo}/tree/${commit}`,
    unauthenticated: facts.unauthenticated,
    average: averageOf(suites),
    warnings: [],
    rerun: (suite, episode) => {
      const measurement = measured.get(suite);
      return measurement === undefined ? '' : (rerunCommand(measurement.results, episode) ?? '');
    },
  };
  return commentMarkdown(input, request.wanted.comment === 'full' ? 'full' : 'short');
}
