import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { duration, type Kind, Wrong } from '../../inputs/table/kinds.ts';

export interface HostOptions {
  readonly mode: 'service' | 'faithful';
  readonly once: boolean;
  readonly rpcTimeoutMs: number;
  /** Simulators that serve each other's targets, beside what TARGETS.md says. */
  readonly endpoints: readonly string[];
}

const ENDPOINT = /^targetws:\/\/[^\s/,]+[^\s,]*$/i;
const MAX_ENDPOINTS = 100;

/** The verb's own options; all that is wrong with them at once. @throws RbError RB112 (exit 2). */
export function hostOptions(options: ReadonlyMap<string, string>): HostOptions {
  const problems: Problem[] = [];
  const wrong = (name: string, message: string, fix: string): void => {
    const value = JSON.stringify(options.get(name)?.slice(0, 200));
    problems.push(problemOf('RB112', { where: `option --${name}`, message, value, fix }));
  };
  const mode = options.get('mode') ?? 'service';
  if (mode !== 'service' && mode !== 'faithful')
    wrong('mode', 'must be service or faithful.', 'Leave it out for a service.');
  const seconds = timeoutOf(duration(1), options.get('rpc-timeout') ?? '300s');
  if (seconds instanceof Wrong)
    wrong('rpc-timeout', `${seconds.why}.`, 'Write for example --rpc-timeout 10m.');
  const listed = options.get('target-endpoints');
  const endpoints = listed === undefined ? [] : listed.split(',').map((each) => each.trim());
  if (endpoints.length > MAX_ENDPOINTS || endpoints.some((each) => !ENDPOINT.test(each))) {
    const fix = 'Write for example --target-endpoints targetws://127.0.0.1:9002,targetws://127.0.0.1:9003.';
    wrong(
      'target-endpoints',
      `must be up to ${MAX_ENDPOINTS} targetws:// endpoints, separated by commas.`,
      fix,
    );
  }
  if (mode === 'faithful') {
    for (const name of ['target-endpoints', 'rpc-timeout', 'once'].filter((each) => options.has(each)))
      wrong(name, 'has no effect in mode faithful.', 'Leave it out, or leave out --mode.');
  }
  if (problems.length > 0 || seconds instanceof Wrong) throw new RbError(EXIT.usage, problems);
  return {
    mode: mode === 'faithful' ? 'faithful' : 'service',
    once: options.has('once'),
    rpcTimeoutMs: seconds * 1000,
    endpoints,
  };
}

function timeoutOf(kind: Kind<number>, text: string): number | Wrong {
  return kind.parse(text);
}
