import { isDeepStrictEqual } from 'node:util';
import type { TargetDescription } from '../../describe/description.ts';

/** What an endpoint said of itself. */
export type Described =
  | { readonly kind: 'described'; readonly description: TargetDescription }
  /** It answers, but does not know the question. */
  | { readonly kind: 'mute' }
  | { readonly kind: 'silent'; readonly why: string };

/**
 * In what two simulators differ, as far as it can change a result; empty when they may stand in for each other. The suite
 * that each was configured for last does not count. Pure.
 */
export function differences(one: TargetDescription, other: TargetDescription): readonly string[] {
  const keys = new Set([...Object.keys(one.protocol), ...Object.keys(other.protocol)]);
  const differing = [...keys].filter((key) => !isDeepStrictEqual(one.protocol[key], other.protocol[key]));
  const named = differing.map(
    (key) => `${key}: ${shown(one.protocol[key])} and ${shown(other.protocol[key])}`,
  );
  if (one.runtime !== other.runtime)
    named.unshift(`runtime: ${shown(one.runtime)} and ${shown(other.runtime)}`);
  if (one.actionDim !== other.actionDim)
    named.push(`action width: ${shown(one.actionDim)} and ${shown(other.actionDim)}`);
  if (one.suite === other.suite && !isDeepStrictEqual(one.tasks, other.tasks))
    named.push(`the tasks of ${shown(one.suite)}`);
  return named;
}

const MAX_SHOWN = 200;

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, MAX_SHOWN);
}
