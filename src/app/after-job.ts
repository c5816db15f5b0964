import type { ExitCode } from '../errors/rb-error.ts';
import { closeLeftCheck } from '../job/publish/measured-check.ts';
import { endLeftProgress } from '../job/publish/progress-comment.ts';
import type { AfterJobContext } from '../job/verb.ts';
import { cleanAfterJob } from './clean.ts';

/** The post step: closes what a killed main step left open on GitHub, then takes our things off the host. */
export async function afterJob(job: AfterJobContext): Promise<ExitCode> {
  await closeLeftCheck(job);
  await endLeftProgress(job);
  return cleanAfterJob(job);
}
