import * as core from '@actions/core';
import { gatherInputs } from './app/gather-inputs.ts';
import { MODES } from './app/verbs.ts';
import { EXIT, type ExitCode } from './errors/rb-error.ts';
import { rawFromEnvironment } from './inputs/read-inputs.ts';
import { guarded, reportBug, reportProblems } from './job/guard.ts';
import type { ActionStep } from './job/verb.ts';
import { actionsLog, maskInJobLog } from './platform/actions-log.ts';
import { systemClock } from './platform/clock.ts';
import { guardProcess } from './platform/process-guards.ts';
import { watchSignals } from './platform/signals.ts';
import { redactor, secretsOf } from './screen/secrets.ts';

const interruption = watchSignals(process, () => performance.now());
const secrets = secretsOf(process.env);
const log = actionsLog({ now: () => performance.now(), redact: redactor(secrets) });
guardProcess((error) => {
  reportBug(error, log);
  process.exit(EXIT.bug);
});
maskInJobLog(secrets);

const step: ActionStep = {
  setOutput: (name, value) => core.setOutput(name, value),
  saveState: (name, value) => core.saveState(name, value),
};

process.exit(await guarded({ log, interrupted: interruption.exitCode }, runStep));

async function runStep(): Promise<ExitCode> {
  const raw = rawFromEnvironment(process.env);
  const inputs = await gatherInputs(raw, { step: true });
  if (inputs.config !== null) {
    const { settingsText } = await import('./app/settings-from.ts');
    const text = await settingsText(inputs, { env: process.env, named: raw.config !== undefined });
    if (text !== null) log.info(text);
  }
  reportProblems(inputs.warnings, log);
  const verb = await MODES[inputs.mode]();
  return verb({
    args: [],
    options: new Map(),
    inputs,
    json: false,
    log,
    clock: systemClock,
    signal: interruption.signal,
    env: process.env,
    stdout: (text) => log.info(text),
    action: step,
    screen: null,
  });
}
