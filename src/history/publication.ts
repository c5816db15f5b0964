import { compareFingerprints } from '../verdict/fingerprint.ts';
import { pairKey } from '../verdict/pairing.ts';
import { badgeOf, badgePath } from './badge.ts';
import {
  anchorPath,
  type Baseline,
  baselinePath,
  baselineText,
  newerBaseline,
  parseBaseline,
} from './baseline.ts';
import { withoutEnded } from './ended-pulls.ts';
import type { HistoryRecord } from './history-record.ts';
import { LATEST_PATH, type Latest, parseLatest, type Series, seriesOf, withSeries } from './latest.ts';
import { LEADERBOARD_PATH } from './leaderboard.ts';
import { HISTORY_CAP, historyPath, historyText, mergeHistory, parseHistory } from './merge.ts';

/** A file of the report branch; null content removes it. */
export interface FileChange {
  readonly path: string;
  readonly content: string | null;
}
/** Text of a file on the branch, null when it is not there. */
export type ReadFile = (path: string) => Promise<string | null>;

/** A run offered as anchor. One that is not `chosen` (by a person, or as a release) begins a protocol and replaces no other. */
export interface NewAnchor {
  readonly baseline: Baseline;
  readonly chosen: boolean;
}

/** Makes the pages of a branch. */
export type Site = (latest: Latest, known: { readonly hasLeaderboard: boolean }) => readonly FileChange[];

export interface Publication {
  /** New records; any number of suites and branches. */
  readonly records: readonly HistoryRecord[];
  /** Newly accepted baselines. */
  readonly baselines: readonly Baseline[];
  /** Runs that may become the anchor of their branch; left out: none. */
  readonly anchors?: readonly NewAnchor[];
  /** Other files as they are: the Markdown report, charts. */
  readonly files: readonly FileChange[];
  /** Numbers of all pull requests that are open; null: nobody could tell, so none ends. */
  readonly openPulls: ReadonlySet<number> | null;
  /** Files made from everything the branch knows after this publication: the page. */
  readonly site?: Site;
  readonly cap?: number;
}

/**
 * What a publication changes on the branch as it is now. Run again on every conflict, so it may depend on nothing
 * but `read`.
 * @throws RbError RB810 when a file cannot be read: nothing is written then
 */
export async function buildPublication(publication: Publication, read: ReadFile): Promise<FileChange[]> {
  const known = parseLatest(await read(LATEST_PATH));
  const baselines = await mergedBaselines(publication.baselines, read);
  const histories: FileChange[] = [];
  const series: Series[] = [];
  for (const group of groups(publication.records)) {
    const { path, merged } = await mergedHistory(group, read, publication.cap ?? HISTORY_CAP);
    histories.push({ path, content: historyText(merged) });
    series.push(seriesOf(merged, baselineOf(merged, known, baselines)));
  }
  const { kept, ended } = withoutEnded(known, { ...publication, series });
  const latest = withSeries(withBaselines(kept, baselines), series);
  return [
    ...ended,
    ...histories,
    ...baselines.map((baseline) => ({
      path: baselinePath(baseline.header.suite, baseline.header.branch),
      content: baselineText(baseline),
    })),
    ...(await newAnchors(publication.anchors ?? [], read)),
    ...series.map(({ suite, branch, latest: record, baseline }) => ({
      path: badgePath(suite, branch),
      content: `${JSON.stringify(badgeOf(record, baseline?.runId === record.runId))}\n`,
    })),
    { path: LATEST_PATH, content: `${JSON.stringify(latest)}\n` },
    ...publication.files,
    ...(await pages(publication.site, latest, read)),
  ];
}

/** A board changes no history, so the page that links to it asks the branch itself. */
async function pages(site: Site | undefined, latest: Latest, read: ReadFile): Promise<readonly FileChange[]> {
  if (site === undefined) return [];
  return site(latest, { hasLeaderboard: (await read(LEADERBOARD_PATH)) !== null });
}

function groups(records: readonly HistoryRecord[]): HistoryRecord[][] {
  const byPath = new Map<string, HistoryRecord[]>();
  for (const record of records) {
    const path = historyPath(record.suite, record.branch);
    byPath.set(path, [...(byPath.get(path) ?? []), record]);
  }
  return [...byPath.values()];
}

async function mergedHistory(group: readonly HistoryRecord[], read: ReadFile, cap: number) {
  const path = historyPath(group[0]?.suite ?? '', group[0]?.branch ?? '');
  return { path, merged: mergeHistory(parseHistory(path, await read(path)), group, cap) };
}

async function mergedBaselines(given: readonly Baseline[], read: ReadFile): Promise<Baseline[]> {
  const merged: Baseline[] = [];
  for (const baseline of given) {
    const path = baselinePath(baseline.header.suite, baseline.header.branch);
    merged.push(newerBaseline(parseBaseline(path, await read(path)), baseline) ?? baseline);
  }
  return merged;
}

async function newAnchors(given: readonly NewAnchor[], read: ReadFile): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const { baseline, chosen } of given) {
    const path = anchorPath(baseline.header.suite, baseline.header.branch);
    const known = parseBaseline(path, await read(path));
    const kept =
      known !== null && (chosen ? newerBaseline(known, baseline) === known : stillServes(known, baseline));
    if (!kept) changes.push({ path, content: baselineText(baseline) });
  }
  return changes;
}

/**
 * The anchor can judge runs like this one: no field that both know differs, and the cells of one are among those of the
 * other. An extended suite keeps its anchor, or small drops before it would be forgotten.
 */
function stillServes(anchor: Baseline, run: Baseline): boolean {
  const [held, own] = [anchor, run].map(({ cells }) => new Set(cells.map(pairKey)));
  const { differing } = compareFingerprints(anchor.header.fingerprint, run.header.fingerprint);
  const among = (cells: Baseline['cells'], all: ReadonlySet<string> | undefined): boolean =>
    cells.every((cell) => all?.has(pairKey(cell)) === true);
  return differing.length === 0 && (among(run.cells, held) || among(anchor.cells, own));
}

function baselineOf(records: readonly HistoryRecord[], known: Latest, changed: readonly Baseline[]) {
  const { suite, branch } = records.at(-1) ?? { suite: '', branch: '' };
  const fresh = changed.find(({ header }) => header.suite === suite && header.branch === branch);
  return (
    fresh?.header ??
    known.series.find((item) => item.suite === suite && item.branch === branch)?.baseline ??
    null
  );
}

/** `accept` changes a baseline without a new record. */
function withBaselines(known: Latest, changed: readonly Baseline[]): Latest {
  const series = known.series.map((item) => {
    const fresh = changed.find(({ header }) => header.suite === item.suite && header.branch === item.branch);
    if (fresh === undefined) return item;
    const { runId, commit, acceptedAt } = fresh.header;
    // A run of this publication brings its own state; a baseline that was only accepted ends the alarm.
    const { alarm: _ended, ...rest } = item;
    return { ...rest, baseline: { runId, commit, acceptedAt } };
  });
  return { ...known, series };
}
