import { appendFile, stat } from 'node:fs/promises';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import { grownBytes } from '../report/budget.ts';

/** A runner drops a summary above 1 MiB whole, measured before and after it rewrote the file. */
const STEP_SUMMARY_MAX_BYTES = 1_040_000;

/** Room left in this step's summary, in grown bytes; 0 when there is none. */
async function summaryRoom(path: string): Promise<number> {
  const present = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  // What is there already grows too; its line ends are not known, so a tenth is kept back for them.
  return Math.max(0, STEP_SUMMARY_MAX_BYTES - Math.ceil(present * 1.1));
}

/**
 * Appends to the summary of this step. Writes the file itself: the toolkit's buffer would write all of it again.
 * @param path GITHUB_STEP_SUMMARY
 * @throws RbError RB830 when it is not set, not writable, or would become too large; nothing is written then
 */
export async function writeStepSummary(path: string | undefined, markdown: string): Promise<void> {
  if (path === undefined || path === '') throw unwritten('GITHUB_STEP_SUMMARY is not set.');
  const text = markdown.endsWith('\n') ? markdown : `${markdown}\n`;
  const room = await summaryRoom(path);
  if (grownBytes(text) > room)
    throw unwritten(`${grownBytes(text)} bytes do not fit into the ${room} that are left.`);
  try {
    await appendFile(path, text, 'utf8');
  } catch (error) {
    throw unwritten(error instanceof Error ? error.message : String(error));
  }
}

function unwritten(message: string): RbError {
  const fix = 'Read the report in the artifact or the workspace.';
  return errorOf('RB830', { where: 'job summary', message, fix });
}
