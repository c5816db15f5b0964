/** Variable by which every process that a policy's command started is found again. */
export const MARKER = 'ROLLOUT_BENCH_POLICY';

/** What a workflow's own machinery hands to a step: tokens, inputs, places of its files. */
const OF_THE_JOB = /^(?:GITHUB|ACTIONS|INPUT|STATE)_/i;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

type Variables = Readonly<Record<string, string | undefined>>;

/** Why a variable may not be named for the policy; null when it may. */
export function notHandedOver(name: string): string | null {
  if (!NAME.test(name)) return 'is not the name of a variable';
  if (OF_THE_JOB.test(name)) return 'belongs to the job, and code under test never gets it';
  return name === MARKER || name === 'PORT' ? 'is set by this program' : null;
}

/** The command with its port in place of `{port}`. `${port}` is the shell's own and stays. */
export function commandAt(command: string, port: number): string {
  return command.replace(/(?<!\$)\{port\}/g, String(port));
}

interface Handed {
  readonly port: number;
  /** Value of the marker. */
  readonly token: string;
  /** Variables that are handed on as they are. */
  readonly names: readonly string[];
}

/** The whole environment of a policy's command; nothing else of ours is in it. */
export function commandEnvironment(own: Variables, { port, token, names }: Handed): Record<string, string> {
  const passed = ['PATH', 'HOME', ...names].flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), PORT: String(port), [MARKER]: token };
}
