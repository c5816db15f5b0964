#!/usr/bin/env node
import { VERBS } from './app/verbs.ts';
import { jsonWithoutOdd } from './base/odd-characters.ts';
import { EXIT, type ExitCode } from './errors/rb-error.ts';
import { type ParsedArgs, parseArgs } from './inputs/parse-args.ts';
import { guarded, reportBug, reportProblems } from './job/guard.ts';
import { systemClock } from './platform/clock.ts';
import { printable, withoutCommands } from './platform/log-text.ts';
import { guardProcess } from './platform/process-guards.ts';
import { watchSignals } from './platform/signals.ts';
import { quietLog } from './platform/silent-log.ts';
import { terminalLog } from './platform/terminal-log.ts';
import { valueMasker } from './screen/secret-scan.ts';
import { redactor, secretsOf } from './screen/secrets.ts';

/** Runs the embedded simulation host by itself, for tests of the built program; no verb, since nobody measures on it. */
const SIMULATION_HOST = 'simulated-host';

const secrets = secretsOf(process.env);
const interruption = watchSignals(process, () => performance.now());
const log = terminalLog({
  stream: process.stderr,
  env: process.env,
  now: () => performance.now(),
  redact: redactor(secrets),
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
  if (argv[0] === SIMULATION_HOST) {
    const { runHostProcess } = await import('./host/host-process.ts');
    return (await runHostProcess(argv.slice(1))) === 0 ? EXIT.ok : EXIT.usage;
  }
  const parsed = parseArgs(argv);
  if (parsed.kind === 'verb') return runVerb(parsed);
  if (parsed.kind === 'version') {
    const { VERSION } = await import('./platform/version.ts');
    stdout(`${VERSION}\n`);
    return EXIT.ok;
  }
  const { fullHelp, generalHelp, verbHelp } = await import('./inputs/help.ts');
  if (parsed.verb !== null) stdout(verbHelp(parsed.verb, parsed.all));
  else stdout(parsed.all ? fullHelp() : generalHelp());
  return EXIT.ok;
}

async function runVerb(parsed: Extract<ParsedArgs, { kind: 'verb' }>): Promise<ExitCode> {
  const said = parsed.quiet ? quietLog(log) : log;
  const { inputsOfLine } = await import('./app/gather-inputs.ts');
  const inputs = await inputsOfLine(parsed);
  if (inputs.config !== null) said.info(`Settings of ${inputs.config}.`);
  reportProblems(inputs.warnings, said);
  const verb = await VERBS[parsed.verb]();
  // What a program reads keeps everything that only looks like a credential.
  const mask = valueMasker(secrets);
  return verb({
    args: parsed.positional,
    options: parsed.options,
    inputs,
    json: parsed.json,
    log: said,
    clock: systemClock,
    signal: interruption.signal,
    secondSignal: interruption.second,
    env: process.env,
    stdout: (text) => stdout(parsed.json ? jsonWithoutOdd(mask(text)) : shown(mask(text))),
    action: null,
    screen: null,
  });
}

/** Names out of bundles and documents reach the results too, and a workflow's step obeys what a program prints. */
function shown(text: string): string {
  return process.env.GITHUB_ACTIONS === 'true' ? withoutCommands(printable(text)) : printable(text);
}
