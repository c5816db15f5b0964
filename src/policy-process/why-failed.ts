import { type RbError, refusal } from '../errors/rb-error.ts';
import type { Arm } from '../model/plan.ts';
import type { Failure } from './lifecycle.ts';

const CODE = { early: 'RB940', late: 'RB941', again: 'RB942' } as const;

interface FailedPolicy {
  readonly arm: Arm;
  readonly how: Failure;
  /** Absolute. */
  readonly directory: string;
  readonly waitMs: number;
  readonly port: number;
  /** On which its processes listen. */
  readonly ports: readonly number[];
  readonly lastLines: readonly string[];
}

/** Why a policy will not answer any more, with the last lines that it printed: RB940, RB941 or RB942 (exit 3). Pure. */
export function failureOf(of: FailedPolicy): RbError {
  const { arm, how, directory, waitMs, lastLines } = of;
  const { kind, why } = how;
  return refusal({
    code: CODE[kind],
    where: `input ${arm === 'candidate' ? 'policy' : 'baseline'}-command`,
    message: `${sentence(kind, { why, waitS: waitMs / 1000 })}${otherPort(of)}${lastLinesText(lastLines)}`,
    fix: `Run the command in ${directory} with PORT set and the environment of docs/policy-command.md, until it answers there.`,
  });
}

function sentence(kind: Failure['kind'], { why, waitS }: { why: string; waitS: number }): string {
  if (kind === 'early') return `the policy never answered: ${why}.`;
  if (kind === 'late')
    return `the policy did not answer within ${waitS} s (policy-wait): ${why.replace(/\.$/, '')}.`;
  return `the policy died again after it had been started once more: ${why}.`;
}

function otherPort({ port, ports }: FailedPolicy): string {
  if (ports.length === 0 || ports.includes(port)) return '';
  return ` It listens on ${ports.join(', ')}, and PORT is ${port}.`;
}

/** With a line of its own for each. */
function lastLinesText(lines: readonly string[]): string {
  if (lines.length === 0) return ' It printed nothing.';
  return ` Its last lines:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** What is said when a policy dies that has answered. Pure. */
export function deathText(of: {
  readonly arm: Arm;
  readonly why: string;
  /** It is started again. */
  readonly again: boolean;
  readonly lastLines: readonly string[];
}): string {
  const { arm, why, again, lastLines } = of;
  return `The ${arm} policy died: ${why}${again ? ' and is started again' : ''}.${lastLinesText(lastLines)}`;
}
