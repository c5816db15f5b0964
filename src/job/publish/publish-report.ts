import { type ArtifactPorts, type ArtifactUpload, uploadArtifact } from '../../github/artifacts.ts';
import type { BranchSnapshot } from '../../github/branch-snapshot.ts';
import type { CheckClosing, CheckRun } from '../../github/check-run.ts';
import type { GitHubClient, Repository } from '../../github/client.ts';
import { PullRequestComment } from '../../github/comment.ts';
import type { CommitWords } from '../../github/commit-message.ts';
import { problemsOf } from '../../github/failure.ts';
import { openPulls } from '../../github/open-pulls.ts';
import { OwnIdentity } from '../../github/own-identity.ts';
import { findPullRequest, type PullRequest, type PullSource } from '../../github/pull-request.ts';
import { type AssetOutcome, attachToRelease } from '../../github/release-asset.ts';
import { ReportBranch } from '../../github/report-branch.ts';
import { writeStepSummary } from '../../github/step-summary.ts';
import { pullOf } from '../../history/ended-pulls.ts';
import { LATEST_PATH, parseLatest } from '../../history/latest.ts';
import { buildPublication, type Publication } from '../../history/publication.ts';
import type { CommentMarker } from '../../report/comment/marker.ts';
import type { Published, PublishSteps } from './publish.ts';

/** Everything one report wants published; null leaves a publisher out. Texts are made when the links are known. */
export interface ReportPublication {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly artifact: { readonly upload: ArtifactUpload; readonly ports: ArtifactPorts } | null;
  readonly release: {
    readonly tag: string;
    /** Makes the archives, one after the other, and hands each on. */
    readonly attachAll: (
      attach: (archive: { readonly path: string; readonly name: string }) => Promise<AssetOutcome>,
    ) => Promise<readonly AssetOutcome[]>;
  } | null;
  readonly summary: {
    readonly path: string | undefined;
    readonly markdown: (links: Published) => string;
  } | null;
  readonly branch: {
    readonly name: string;
    readonly publication: Publication;
    readonly words: CommitWords;
    /** The branch as the baseline was read from it, to spare requests. */
    readonly snapshot?: BranchSnapshot;
  } | null;
  readonly check: { readonly run: CheckRun; readonly closing: (links: Published) => CheckClosing } | null;
  readonly comment: {
    readonly pull: PullSource;
    readonly marker: CommentMarker;
    /** False: an existing comment is updated, and none is begun. */
    readonly begin: boolean;
    readonly markdown: (links: Published, pull: PullRequest) => string;
  } | null;
}

/** The publishers of a report, ready for `publish`. */
export function reportPublishers(report: ReportPublication): PublishSteps {
  const { client, repository, artifact, release, summary, branch, check } = report;
  return {
    artifact: artifact && (() => uploadArtifact(artifact.upload, artifact.ports)),
    release:
      release &&
      (() =>
        release.attachAll((archive) =>
          attachToRelease(client, repository, { tag: release.tag, ...archive }),
        )),
    summary: summary && ((links) => writeStepSummary(summary.path, summary.markdown(links))),
    branch:
      branch &&
      (async () => {
        const publication = { ...branch.publication, openPulls: await openPullsFor(branch, report) };
        return new ReportBranch(client, repository).publish({
          branch: branch.name,
          build: (read) => buildPublication(publication, read),
          message: branch.words,
          ...(branch.snapshot === undefined ? {} : { snapshot: branch.snapshot }),
        });
      }),
    check: check && ((links) => check.run.close(check.closing(links))),
    comment: report.comment && ((links) => comment(report, links)),
  };
}

/** Asked only where the branch shows pull requests; what cannot be seen ends nothing. */
async function openPullsFor(
  { snapshot }: NonNullable<ReportPublication['branch']>,
  { client, repository }: ReportPublication,
): Promise<ReadonlySet<number> | null> {
  if (snapshot === undefined) return null;
  const latest = parseLatest(await snapshot.read(LATEST_PATH));
  if (!latest.series.some((series) => pullOf(series) !== null)) return null;
  try {
    return await openPulls(client, repository);
  } catch (error) {
    if (problemsOf(error) === null) throw error;
    return null;
  }
}

async function comment({ client, repository, comment: wanted }: ReportPublication, links: Published) {
  if (wanted === null) return null;
  const pull = await findPullRequest(client, repository, wanted.pull);
  if (pull === null) return null;
  return new PullRequestComment(client, repository, new OwnIdentity(client)).put({
    pullNumber: pull.number,
    body: wanted.markdown(links, pull),
    marker: wanted.marker,
    begin: wanted.begin,
    pullHead: pull.headSha,
  });
}
