import type { ExitCode } from '../errors/rb-error.ts';
import { cleanAfterJob } from './clean.ts';
import { closeLeftCheck } from './report/measured-check.ts';
import { endLeftProgress } from './report/progress-comment.ts';
import type { AfterJobContext } from './verb.ts';

/** The post step: closes what a killed main step left open on GitHub, then takes our things off the host. */
export async function afterJob(job: AfterJobContext): Promise<ExitCode> {
  await closeLeftCheck(job);
  await endLeftProgress(job);
  return cleanAfterJob(job);
}
