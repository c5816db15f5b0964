import { candidateOf } from '../results/candidate.ts';
import { ICONS, safeUrl } from './comment/pieces.ts';
import { slackText } from './text/escape.ts';
import type { ReportView } from './view/report-view.ts';

/** What a notice says of one suite. */
export interface NoticeSuite {
  readonly view: Pick<ReportView, 'suite' | 'verdict' | 'ruling' | 'aggregate'>;
  readonly isRelease: boolean;
  /** `−6.0 points (−12.9 to −0.6)` and against what; null without a baseline. */
  readonly change: { readonly points: string | null; readonly baseline: string } | null;
  /** Sentence of the drift alarm; null: none. */
  readonly drift: string | null;
}

interface NoticeInput {
  readonly suites: readonly NoticeSuite[];
  /** `acme/robots`; null when unknown. */
  readonly repository: string | null;
  /** Branch or tag. */
  readonly ref: string | null;
  readonly runUrl: string | null;
  readonly reportUrl: string | null;
}

/** Suites with a line of their own. */
const SHOWN = 20;

/**
 * The body of a message to a webhook in the form of Slack: a line for each verdict of a release and each drift alarm.
 * Nothing in it is read as markup. Null when nobody waits for any of it. Pure.
 */
export function noticeBody(input: NoticeInput): string | null {
  const lines = input.suites.flatMap((suite) => [
    ...(suite.isRelease ? [releaseLine(suite)] : []),
    ...(suite.drift === null
      ? []
      : [`📉 Drift of ${slackText(suite.view.suite)}: ${slackText(suite.drift)}`]),
  ]);
  if (lines.length === 0) return null;
  const more = lines.length > SHOWN ? [`and ${lines.length - SHOWN} more`] : [];
  const place = [input.repository, input.ref].filter((part) => part !== null).map((part) => slackText(part));
  const links = [input.reportUrl, input.runUrl]
    .filter((url) => url !== null)
    .map((url) => `<${safeUrl(url)}>`);
  const text = [
    ...(place.length === 0 ? [] : [place.join(' ')]),
    ...lines.slice(0, SHOWN),
    ...more,
    ...(links.length === 0 ? [] : [links.join(' ')]),
  ].join('\n');
  return JSON.stringify({ text, mrkdwn: false, parse: 'none', unfurl_links: false, unfurl_media: false });
}

/** `❌ Release FAIL: libero_spatial 91.0% (91/100), −6.0 points (−12.9 to −0.6) against main: worse` */
function releaseLine({ view, change }: NoticeSuite): string {
  const rate = candidateOf(view.aggregate)?.rate ?? 'not run';
  const points =
    change?.points === null || change === null ? 'change unknown' : `${slackText(change.points)} points`;
  const against = change === null ? '' : `, ${points} against ${slackText(change.baseline)}`;
  return `${ICONS[view.verdict] ?? ''} Release ${view.verdict}: ${slackText(view.suite)} ${rate}${against}: ${slackText(view.ruling)}`;
}
