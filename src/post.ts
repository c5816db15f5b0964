import { AFTER_JOB } from './app/verbs.ts';
import { EXIT, type ExitCode } from './errors/rb-error.ts';
import { guarded, reportBug } from './job/guard.ts';
import { actionsLog } from './platform/actions-log.ts';
import { systemClock } from './platform/clock.ts';
import { guardProcess } from './platform/process-guards.ts';
import { watchSignals } from './platform/signals.ts';
import { redactor, secretsOf } from './screen/secrets.ts';

const STATE_PREFIX = 'STATE_';

const interruption = watchSignals(process, () => performance.now());
const log = actionsLog({ now: () => performance.now(), redact: redactor(secretsOf(process.env)) });
guardProcess((error) => {
  reportBug(error, log);
  process.exit(EXIT.bug);
});

process.exit(await guarded({ log, interrupted: interruption.exitCode }, cleanUp));

/** Main may have been killed at any point, so its state alone says whether there is something to do. */
async function cleanUp(): Promise<ExitCode> {
  const state = savedState();
  if (Object.keys(state).length === 0) {
    log.info('Nothing to clean up.');
    return EXIT.ok;
  }
  const afterJob = await AFTER_JOB();
  return afterJob({ state, log, clock: systemClock, signal: interruption.signal, env: process.env });
}

function savedState(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => name.startsWith(STATE_PREFIX));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(STATE_PREFIX.length), value ?? '']));
}
