const BACKSLASH = 0x5c;

/**
 * Index of the quote that ends the JSON text whose opening quote is at `from`; -1 when nothing ends it. Takes a string or
 * UTF-8 bytes, where a quote is never part of another letter. Pure.
 */
export function endOfText(text: string | Buffer, from: number): number {
  const unit = (at: number): number | undefined =>
    typeof text === 'string' ? text.charCodeAt(at) : text[at];
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (unit(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** The value of a JSON text; undefined, which no JSON holds, for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
