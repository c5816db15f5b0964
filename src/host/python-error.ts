/**
 * Failures inside the simulated runtime. `code` is what ends up as `result.error_code`; a failure of the process itself
 * (a document fault, a forbidden transition) carries Python's class name, which is all an operator would see.
 */
type RuntimeCode =
  | 'SCHEMA_VALIDATION'
  | 'TARGET_BUILD'
  | 'TARGET_STEP'
  | 'TARGET_CONNECTION'
  | 'TARGET_PROTOCOL'
  | 'ADAPTER'
  | 'POLICY_CONNECTION'
  | 'POLICY_PROTOCOL'
  | 'RUNTIME_ERROR';

export class RuntimeFailure extends Error {
  readonly code: RuntimeCode;

  constructor(code: RuntimeCode, message: string) {
    super(message);
    this.name = 'RuntimeFailure';
    this.code = code;
  }
}

/** A session that cannot be scheduled; names the session so that it alone is rejected. */
export class ScheduleFailure extends RuntimeFailure {
  readonly sessionId: string;

  constructor(sessionId: string, message: string) {
    super('SCHEMA_VALIDATION', message);
    this.sessionId = sessionId;
  }
}

/** What ends a watchdog pass, and with it the command-line watchdog: nothing in the queue is touched. */
export class WatchdogCrash extends Error {
  /** Python's exception class, e.g. `ValueError`. */
  readonly pythonName: string;

  constructor(pythonName: string, message: string) {
    super(message);
    this.name = 'WatchdogCrash';
    this.pythonName = pythonName;
  }
}

/** Python's class name for an error a target server reports, e.g. `IndexError`. */
export class TargetFault extends Error {
  readonly pythonName: string;

  constructor(pythonName: string, message: string) {
    super(message);
    this.name = 'TargetFault';
    this.pythonName = pythonName;
  }
}

/** Text as Python's `repr` shows a string: single quotes unless the text has only those. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'string') return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  return `${quote}${value.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** What an error says of itself. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
