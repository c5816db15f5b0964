#!/usr/bin/env node
import { guarded, reportBug, reportProblems } from './app/guard.ts';
import { VERBS } from './app/verbs.ts';
import { EXIT, type ExitCode, RbError } from './errors/rb-error.ts';
import { type ParsedArgs, parseArgs } from './inputs/parse-args.ts';
import { systemClock } from './platform/clock.ts';
import { guardProcess } from './platform/process-guards.ts';
import { redactor, secretsOf } from './platform/secrets.ts';
import { watchSignals } from './platform/signals.ts';
import { terminalLog } from './platform/terminal-log.ts';

const interruption = watchSignals(process, () => performance.now());
const log = terminalLog({
  stream: process.stderr,
  env: process.env,
  now: () => performance.now(),
  redact: redactor(secretsOf(process.env)),
});
guardProcess((error) => {
  reportBug(error, log);
  process.exit(EXIT.bug);
});

const stdout = (text: string): void => {
  process.stdout.write(text);
};

// Exits by itself, since a socket or timer that a failed use case left open must not keep the process.
process.exit(
  await guarded({ log, interrupted: interruption.exitCode }, () => commandLine(process.argv.slice(2))),
);

async function commandLine(argv: readonly string[]): Promise<ExitCode> {
  const parsed = parseArgs(argv);
  if (parsed.kind === 'verb') return runVerb(parsed);
  if (parsed.kind === 'version') {
    const { VERSION } = await import('./platform/version.ts');
    stdout(`${VERSION}\n`);
    return EXIT.ok;
  }
  const { generalHelp, verbHelp } = await import('./inputs/help.ts');
  stdout(parsed.verb === null ? generalHelp() : verbHelp(parsed.verb));
  return EXIT.ok;
}

async function runVerb(parsed: Extract<ParsedArgs, { kind: 'verb' }>): Promise<ExitCode> {
  const { gatherInputs } = await import('./app/gather-inputs.ts');
  const inputs = await gatherInputs(parsed.raw, parsed.required);
  reportProblems(inputs.warnings, log);
  const load = VERBS[parsed.verb];
  if (load === undefined) throw notInThisVersion(parsed.verb);
  const verb = await load();
  return verb({
    args: parsed.positional,
    options: parsed.options,
    inputs,
    json: parsed.json,
    log,
    clock: systemClock,
    signal: interruption.signal,
    env: process.env,
    stdout,
    action: null,
  });
}

function notInThisVersion(verb: string): RbError {
  return new RbError(EXIT.usage, [
    {
      code: 'RB110',
      where: 'command line',
      message: `${verb} is not in this version yet.`,
      fix: 'Take a newer version.',
      severity: 'fatal',
    },
  ]);
}
