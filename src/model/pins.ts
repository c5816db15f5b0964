import * as z from 'zod';

/**
 * What exactly was measured with what, one thing each. `observed`: this program read it. `declared`: somebody said so,
 * and nothing here checked it. `unknown`: nobody said, and it could not be seen; the value is null then and only then.
 */
export const pinSchema = z.discriminatedUnion('source', [
  z.strictObject({ name: z.string(), value: z.string(), source: z.enum(['observed', 'declared']) }),
  z.strictObject({ name: z.string(), value: z.null(), source: z.literal('unknown') }),
]);
export type Pin = z.infer<typeof pinSchema>;

export function observed(name: string, value: string | null): Pin {
  return pin(name, value, 'observed');
}

export function declared(name: string, value: string | null): Pin {
  return pin(name, value, 'declared');
}

function pin(name: string, value: string | null, source: 'observed' | 'declared'): Pin {
  return value === null ? { name, value, source: 'unknown' } : { name, value, source };
}

/** Pins of a run whose shards ran on several hosts: what differs between them is unknown for the whole. */
export function mergedPins(parts: readonly (readonly Pin[])[]): Pin[] {
  const [first = [], ...others] = parts;
  return first.map((mine) => {
    const equal = others.every((pins) =>
      pins.some(
        ({ name, value, source }) => name === mine.name && value === mine.value && source === mine.source,
      ),
    );
    return equal ? mine : observed(mine.name, null);
  });
}

/** `11 observed; declared and not checked: checkpoint digest; unknown: image digest` */
export function pinsSummary(pins: readonly Pin[]): string {
  const names = (source: Pin['source']): string[] =>
    pins.filter((each) => each.source === source).map(({ name }) => name);
  const said = names('declared');
  const unknown = names('unknown');
  return [
    `${names('observed').length} observed`,
    ...(said.length === 0 ? [] : [`declared and not checked: ${said.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`unknown: ${unknown.join(', ')}`]),
  ].join('; ');
}

/** `sha256:… (declared, not checked)` */
export function pinText({ value, source }: Pin): string {
  if (value === null) return 'unknown';
  return source === 'declared' ? `${value} (declared, not checked)` : value;
}
