import { parseTargetEndpoint } from '../../describe/endpoint.ts';
import { EXIT, type Problem, problemOf, RbError } from '../../errors/rb-error.ts';
import { nearest } from '../../inputs/nearest.ts';
import { parsePolicyEndpoint } from '../../policy/endpoint.ts';
import { DEFAULT_POLICY, DEFAULT_TARGET, isKitName, KITS, type KitName } from './kits.ts';

/** What `init` must know before it asks the target. */
export interface Answers {
  readonly workspace: string;
  readonly target: string;
  readonly policy: string;
  /** Null: the target's description tells. */
  readonly kit: KitName | null;
}

const ASKED = ['workspace', 'target', 'policy'] as const;
type Asked = (typeof ASKED)[number];

/** What the command line says; absent where it says nothing. */
interface Flags extends Partial<Record<Asked, string>> {
  readonly kit?: string;
}

/** Asks a person one question; an empty answer takes what is offered. */
export type Ask = (question: string, offered: string) => Promise<string>;

const QUESTIONS: Readonly<Record<Asked, readonly [question: string, offered: string]>> = {
  workspace: ['Folder of the new workspace', 'workspace'],
  target: ['Endpoint of the simulation server', DEFAULT_TARGET],
  policy: ['Endpoint of the policy server', DEFAULT_POLICY],
};

/**
 * Answers from flags, else from the person at the terminal; a kit brings its servers' usual endpoints.
 * @param ask null where nobody can be asked.
 * @throws RbError with every problem at once: RB980, RB984, RB309 (exit 2).
 */
export async function answersOf(flags: Flags, ask: Ask | null): Promise<Answers> {
  const offered = flags.kit === undefined ? {} : { target: DEFAULT_TARGET, policy: DEFAULT_POLICY };
  const known: Flags = { ...offered, ...flags };
  const answer = async (name: Asked): Promise<string> => {
    const [question, byDefault] = QUESTIONS[name];
    const given = known[name] ?? (ask === null ? '' : await ask(question, byDefault));
    return given.trim();
  };
  const workspace = await answer('workspace');
  const target = await answer('target');
  const policy = await answer('policy');
  const given = { workspace, target, policy };
  const problems = [
    ...ASKED.flatMap((name) => (given[name] === '' ? [unanswered(name)] : [])),
    ...(target === '' ? [] : endpointProblem('target', target, parseTargetEndpoint(target))),
    ...(policy === '' ? [] : endpointProblem('policy', policy, parsePolicyEndpoint(policy))),
    ...kitProblem(flags.kit),
  ];
  if (problems.length > 0) throw new RbError(EXIT.usage, problems);
  const kit = flags.kit !== undefined && isKitName(flags.kit) ? flags.kit : null;
  return { workspace, target, policy, kit };
}

function unanswered(name: Asked): Problem {
  return problemOf('RB980', {
    where: `option --${name}`,
    message: 'is not given, and nobody can be asked here.',
    fix: `Write for example --${name} ${QUESTIONS[name][1]}, or give --kit for the usual endpoints.`,
  });
}

function endpointProblem(
  name: Asked,
  value: string,
  parsed: { readonly ok: true } | { readonly ok: false; readonly why: string },
): Problem[] {
  if (parsed.ok) return [];
  return [
    {
      code: 'RB309',
      where: `option --${name}`,
      message: `the endpoint ${parsed.why}.`,
      // Without what stands before an @: it may be a password, and messages are kept.
      value: JSON.stringify(value.replace(/\/\/[^@/]*@/, '//…@').slice(0, 80)),
      fix: `Write for example ${QUESTIONS[name][1]}.`,
      severity: 'fatal',
    },
  ];
}

function kitProblem(kit: string | undefined): Problem[] {
  if (kit === undefined || isKitName(kit)) return [];
  const near = nearest(kit, Object.keys(KITS));
  return [
    problemOf('RB984', {
      where: 'option --kit',
      message: `there is no such kit; there are ${Object.keys(KITS).join(', ')}.`,
      value: JSON.stringify(kit.slice(0, 80)),
      fix: near === null ? 'Leave it out for a server of your own.' : `Did you mean ${near}?`,
    }),
  ];
}
