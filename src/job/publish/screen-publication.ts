import { errorOf, type RbError } from '../../errors/rb-error.ts';
import { valueFinder } from '../../screen/secret-scan.ts';
import { secretsOf } from '../../screen/secrets.ts';
import { refuseHeldOut } from '../../screen/text-screen.ts';
import type { VerbContext } from '../verb.ts';
import type { ReportPublication } from './publish-report.ts';
import type { ReportFile } from './write-report.ts';

/** Looks through a text that is about to leave, under the name by which messages call it. Throws. */
export type Screen = (name: string, text: string) => void;

/**
 * The screen of a job: no text that it publishes holds a value of its environment that is a secret, or names a cell that
 * may be held out. Bundles were screened when they were sealed, by the job that measured; this one has secrets of its own.
 * @throws RbError (from the screen) RB704, RB846 (exit 3); neither repeats what was found.
 */
export function screenOf({ env, screen }: Pick<VerbContext, 'env' | 'screen'>): Screen {
  const holdsSecret = valueFinder(secretsOf(env));
  return (name, text) => {
    if (holdsSecret(text)) throw secretIn(name);
    refuseHeldOut(name, text, screen);
  };
}

function secretIn(name: string): RbError {
  return errorOf('RB704', {
    where: name,
    message: 'The text holds a secret of the environment, so it was not published.',
    fix: 'Find out how it got there (a template, a name, a policy that told it), take it out there, and change the secret.',
  });
}

/** @throws RbError as `screenOf`; nothing was written or published then. */
export function screenFiles(files: readonly ReportFile[], screen: Screen): void {
  for (const { path, content } of files) screen(path, content);
}

/** The same publication, whose texts are looked through right before they leave. */
export function screened(publication: ReportPublication, screen: Screen): ReportPublication {
  const { summary, check, comment, branch } = publication;
  const checked = (name: string, text: string): string => {
    screen(name, text);
    return text;
  };
  if (branch !== null) {
    const { records, baselines, files } = branch.publication;
    checked('the history of the report branch', JSON.stringify({ records, baselines, files }));
  }
  return {
    ...publication,
    summary: summary && {
      ...summary,
      markdown: (links) => checked('the job summary', summary.markdown(links)),
    },
    check: check && {
      ...check,
      closing: (links) => {
        const closing = check.closing(links);
        checked('the check run', JSON.stringify(closing));
        return closing;
      },
    },
    comment: comment && {
      ...comment,
      markdown: (links, pull) => checked('the comment', comment.markdown(links, pull)),
    },
  };
}
