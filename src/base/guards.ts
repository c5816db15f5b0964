/** A map of names, as JSON has it: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a text, else null. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
