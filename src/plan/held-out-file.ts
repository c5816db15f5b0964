import { parseDocument } from 'yaml';
import * as z from 'zod';
import { idsIn } from '../base/id-ranges.ts';
import { WhyNot } from '../base/why-not.ts';
import { MAX_USER_YAML_DEPTH, tooDeepLine } from '../base/yaml-depth.ts';
import { EXIT, type Problem, problemOf, RbError } from '../errors/rb-error.ts';
import { type HeldOutCell, type HeldOutList, placeOf } from './held-out-list.ts';

/** More could not be measured in a week, and every text that leaves the host is compared with each. */
const MAX_HELD_OUT_CELLS = 5000;

const text = z.string().min(1).max(200);
const ids = z.union([z.int(), z.string(), z.array(z.union([z.int(), z.string()]))]);
const fileSchema = z.strictObject({
  salt: z.string().regex(/^(?:[0-9a-f]{2}){16,64}$/, 'must be 32 to 128 lower-case hex digits'),
  suite: text,
  cells: z
    .array(z.strictObject({ task: ids, 'init-states': ids }))
    .min(1)
    .max(MAX_HELD_OUT_CELLS),
});

/**
 * Reads a held-out file: YAML or JSON with `salt`, `suite` and `cells` (each `task` and `init-states`, ids or ranges).
 * No message holds an id of the file.
 * @param name how messages call the file.
 * @throws RbError RB426 (exit 2) with everything that is wrong.
 */
export function parseHeldOut(source: string, name: string): HeldOutList {
  if (tooDeepLine(source) !== null)
    throw unusable(name, [`it nests more than ${MAX_USER_YAML_DEPTH} levels deep`]);
  const document = parseDocument(source, { version: '1.2', schema: 'core' });
  // The parser's own words show the line.
  if (document.errors.length > 0) throw unusable(name, ['it is not YAML or JSON']);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw unusable(name, ['it holds a YAML alias']);
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    throw unusable(
      name,
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
    );
  }
  const { salt, suite, cells } = parsed.data;
  return { suite, salt, cells: expanded(cells, name) };
}

function expanded(
  entries: readonly { readonly task: z.infer<typeof ids>; readonly 'init-states': z.infer<typeof ids> }[],
  name: string,
): HeldOutCell[] {
  const wrong: string[] = [];
  const cells = new Map<string, HeldOutCell>();
  for (const [index, entry] of entries.entries()) {
    const tasks = idsIn(itemsOf(entry.task));
    const states = idsIn(itemsOf(entry['init-states']));
    if (tasks instanceof WhyNot) wrong.push(`cells.${index}.task: must be ids or ranges of ids`);
    if (states instanceof WhyNot) wrong.push(`cells.${index}.init-states: must be ids or ranges of ids`);
    if (tasks instanceof WhyNot || states instanceof WhyNot) continue;
    for (const taskId of tasks) {
      for (const initStateId of states) {
        cells.set(placeOf({ taskId, initStateId }), { taskId, initStateId });
        if (cells.size > MAX_HELD_OUT_CELLS)
          throw unusable(name, [`it names more than ${MAX_HELD_OUT_CELLS} cells`]);
      }
    }
  }
  if (wrong.length > 0) throw unusable(name, wrong);
  return [...cells.values()].sort(
    (left, right) => left.taskId - right.taskId || left.initStateId - right.initStateId,
  );
}

function itemsOf(given: z.infer<typeof ids>): string[] {
  return [given].flat().flatMap((item) => String(item).split(/[,\n]/));
}

function unusable(name: string, messages: readonly string[]): RbError {
  return new RbError(
    EXIT.usage,
    messages.slice(0, 20).map(
      (message): Problem =>
        problemOf('RB426', {
          fix: 'Write salt (hex of 16 random bytes or more), suite, and cells as a list of task and init-states.',
          where: name,
          message: `the held-out file cannot be used: ${message}.`,
        }),
    ),
  );
}
