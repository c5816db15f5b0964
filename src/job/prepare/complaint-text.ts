import { RbError } from '../../errors/rb-error.ts';

/** What is wrong with a server that was asked, without the advice: the run says that it waits. Pure. */
export function complaintText(error: unknown): string {
  if (error instanceof RbError) {
    const texts = error.problems.map(({ where, message }) => `${where}: ${message.replace(/\.$/, '')}`);
    if (texts.length > 0) return texts.join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
