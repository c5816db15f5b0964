import { EXIT, problemOf, RbError } from '../../errors/rb-error.ts';
import { readTextCapped } from '../../files/atomic-file.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { checkTemplate } from '../../report/markdown.ts';

/** Ours has 4 kB. */
const MAX_TEMPLATE_BYTES = 256 * 1024;

/**
 * The user's report template, checked; null without one.
 * @throws RbError RB510 (exit 2) when it cannot be read or used.
 */
export async function readTemplate({
  reportTemplate,
}: Pick<Inputs, 'reportTemplate'>): Promise<string | null> {
  if (reportTemplate === null) return null;
  const template = await readTextCapped(reportTemplate, MAX_TEMPLATE_BYTES).catch((error: unknown) => {
    if (!(error instanceof RbError)) throw error;
    throw unreadable(reportTemplate, error);
  });
  checkTemplate(template);
  return template;
}

function unreadable(file: string, cause: RbError): RbError {
  return new RbError(
    EXIT.usage,
    cause.problems.map(({ message, fix }) =>
      problemOf('RB510', {
        where: 'input report-template',
        message: `The template cannot be read: ${message}`,
        value: file,
        fix,
      }),
    ),
    { cause },
  );
}
