import { refuseHeldOut, type TextScreen } from '../../screen/text-screen.ts';
import type { ReportPublication } from './publish-report.ts';
import type { ReportFile } from './write-report.ts';

/** @throws RbError RB846 when a rendered file names a held-out cell; nothing was written or published then. */
export function screenFiles(files: readonly ReportFile[], screen: TextScreen | null): void {
  for (const { path, content } of files) refuseHeldOut(path, content, screen);
}

/** The same publication, whose texts are looked through right before they leave. */
export function screened(publication: ReportPublication, screen: TextScreen | null): ReportPublication {
  if (screen === null) return publication;
  const { summary, check, comment } = publication;
  const checked = (name: string, text: string): string => {
    refuseHeldOut(name, text, screen);
    return text;
  };
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
