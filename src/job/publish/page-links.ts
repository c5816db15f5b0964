import type { Repository } from '../../github/client.ts';
import { reportFolder } from '../../history/ended-pulls.ts';
import type { RunContext } from '../../platform/run-context.ts';
import type { PagePlace } from '../../report/view/report-input.ts';
import type { AssessedSuite } from '../judge/assess-suite.ts';
import { acceptedBy } from '../judge/history-record.ts';
import type { EventFacts } from '../judge/ref-standing.ts';
import type { VerbContext } from '../verb.ts';

/** Where a report is published, as far as it is known before it is written. */
export interface ReportPlace {
  readonly serverUrl: string;
  readonly context: RunContext;
  readonly facts: EventFacts;
  /** Null: no report branch is written. */
  readonly reportBranch: string | null;
  readonly pagesUrl: string | null;
  /** The artifact that this job has uploaded already; null: somebody else's, or none. */
  readonly artifactId: number | null;
}

interface PlaceRequest {
  readonly verb: VerbContext;
  readonly artifactId: number | null;
}

/** Where the pages of this report link to; null outside of a workflow, where nothing of it is published. */
export function reportPlace(
  { verb, artifactId }: PlaceRequest,
  context: RunContext,
  facts: EventFacts,
): ReportPlace | null {
  if (verb.action === null || context.repository === null) return null;
  const { reportBranch, pagesUrl } = verb.inputs;
  return {
    serverUrl: verb.env.GITHUB_SERVER_URL ?? 'https://github.com',
    context,
    facts,
    reportBranch: reportBranch === 'none' || verb.inputs.githubToken === null ? null : reportBranch,
    pagesUrl,
    artifactId,
  };
}

/** The ways out of a suite's page, and what became of the run. Whole addresses: the page is kept in several places. Pure. */
export function pagePlaceOf(suite: AssessedSuite, place: ReportPlace): PagePlace {
  const { context, facts, serverUrl, reportBranch } = place;
  const isKept = reportBranch !== null && !facts.unauthenticated && facts.branch !== null;
  const by =
    isKept && suite.comparison === null ? acceptedBy(suite, facts.onBranch ? facts.event : null) : null;
  const { repository } = context;
  if (repository === null) return { links: [], accepted: false };
  const home = `${serverUrl}/${repository}`;
  const links = [
    ...runLinks(home, place),
    ...(facts.headCommit === null
      ? []
      : [{ label: `Commit ${facts.headCommit.slice(0, 7)}`, address: `${home}/commit/${facts.headCommit}` }]),
    ...pullLinks(home, facts),
    ...releaseLinks(home, facts),
    ...(reportBranch === null ? [] : branchLinks(home, { ...place, reportBranch }, suite)),
  ];
  return { links, accepted: by !== null };
}

type Links = PagePlace['links'];

function runLinks(home: string, { context, facts, artifactId }: ReportPlace): Links {
  const id = facts.measuringRunId ?? (context.githubRunId === null ? null : Number(context.githubRunId));
  if (id === null) return [];
  const run = `${home}/actions/runs/${id}`;
  const evidence = artifactId === null ? `${run}#artifacts` : `${run}/artifacts/${artifactId}`;
  return [
    { label: 'Workflow run', address: run },
    { label: 'Evidence', address: evidence },
  ];
}

function pullLinks(home: string, { pull }: EventFacts): Links {
  const number = pull?.kind === 'event' ? pull.pull.number : pull?.kind === 'number' ? pull.number : null;
  return number === null ? [] : [{ label: `Pull request #${number}`, address: `${home}/pull/${number}` }];
}

/** A release is measured on its tag. */
function releaseLinks(home: string, { event, branch }: EventFacts): Links {
  if (event !== 'release' || branch?.startsWith('tags/') !== true) return [];
  const tag = branch.slice('tags/'.length);
  return [{ label: `Release ${tag}`, address: `${home}/releases/tag/${encodeURIComponent(tag)}` }];
}

function branchLinks(
  home: string,
  { pagesUrl, reportBranch, facts: { baseBranch } }: ReportPlace & { readonly reportBranch: string },
  { comparison, measurement }: AssessedSuite,
): Links {
  const root = pagesUrl === null ? null : pagesUrl.replace(/\/+$/, '');
  const history = {
    label: 'History',
    address: root === null ? `${home}/tree/${reportBranch}` : `${root}/index.html`,
  };
  if (comparison === null || baseBranch === null) return [history];
  const folder = reportFolder(measurement.plan.suite, baseBranch);
  const address =
    root === null ? `${home}/blob/${reportBranch}/${folder}/README.md` : `${root}/${folder}/report.html`;
  return [history, { label: `Latest report of ${baseBranch}`, address }];
}

/** What the address of a report is made of. */
interface ReportAddress {
  readonly repository: Repository;
  readonly serverUrl: string;
  readonly facts: EventFacts;
  readonly wanted: { readonly branch: string | null; readonly pagesUrl: string | null };
}

/** Where the branch shows the report of a suite. */
export function reportUrl(request: ReportAddress, suite: string, commit: string | null): string | null {
  const { wanted, facts, repository, serverUrl } = request;
  if (wanted.branch === null || facts.branch === null || facts.unauthenticated) return null;
  const folder = reportFolder(suite, facts.branch);
  if (wanted.pagesUrl !== null) return `${wanted.pagesUrl.replace(/\/+$/, '')}/${folder}/report.html`;
  return `${serverUrl}/${repository.owner}/${repository.repo}/blob/${commit ?? wanted.branch}/${folder}/README.md`;
}
