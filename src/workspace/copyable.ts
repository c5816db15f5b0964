import type { Problem } from '../errors/rb-error.ts';
import { hasNonTextKey } from './pyyaml.ts';
import { isMapping } from './shape.ts';

/**
 * What of a target's entry or contract a cell target could not say again: mappings with keys that are no text (`{0: a}`),
 * which would come back as text. The runtime takes them. One problem for each such mapping.
 */
export function copyProblems(value: unknown, where: string): Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => copyProblems(item, `${where}[${index}]`));
  if (!isMapping(value)) return [];
  const own: Problem[] = hasNonTextKey(value) ? [keyProblem(where)] : [];
  return [...own, ...Object.entries(value).flatMap(([key, item]) => copyProblems(item, `${where}.${key}`))];
}

function keyProblem(where: string): Problem {
  return {
    code: 'RB223',
    where,
    message: 'a key is a number, a date, yes, no or null.',
    fix: 'Put the keys in quotes, if the simulator takes them as text; otherwise measure without them.',
    consequence: 'The copies of this target that carry a task each would hold other keys.',
    severity: 'fatal',
  };
}
