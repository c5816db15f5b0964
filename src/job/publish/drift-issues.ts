import { putDriftIssue } from '../../github/drift-issue.ts';
import type { Log } from '../../platform/ports.ts';
import { markdownText } from '../../report/text/escape.ts';
import { bestEffort } from '../best-effort.ts';
import type { Connection } from '../connection.ts';
import type { AssessedSuite } from '../judge/assess-suite.ts';
import type { Screen } from './screen-publication.ts';

interface Place extends Connection {
  readonly log: Log;
  readonly runUrl: string | null;
  readonly branch: string | null;
  readonly screen: Screen;
}

/** One issue for each suite whose success rate has drifted; an issue that cannot be written is a warning. */
export async function writeDriftIssues(suites: readonly AssessedSuite[], place: Place): Promise<void> {
  const { client, repository, log, runUrl } = place;
  for (const { drift, measurement } of suites) {
    const alarm = drift?.alarm ?? null;
    if (alarm === null) continue;
    const { suite } = measurement.plan;
    const course = `${suite} on ${place.branch ?? 'no branch'}`;
    const run = runUrl === null ? '' : `\n\nLast seen in ${runUrl}`;
    const body = `${markdownText(alarm.text)}${run}\n\nThis issue is updated while the alarm stands; close it when the cause is known.\n`;
    const title = `Success rate has drifted: ${course}`;
    const written = await bestEffort(log, async () => {
      place.screen('the issue', `${title}\n${body}`);
      return putDriftIssue(client, repository, { course, title, body });
    });
    if (written !== null) log.info(`Issue ${written.action}: ${written.url}`);
  }
}
