/** Codes by which servers say that they do not know a message: Python's exceptions, JSON-RPC's words, constants. */
const CODE =
  /not_?implemented|(?:unsupported|unknown|invalid|unhandled)_?(?:target_?)?(?:rpc|message|request|method|command)|(?:method|handler)_?not_?(?:found|supported)|no_?such_?(?:method|command)/i;

const NOT_KNOWN = String.raw`\b(?:un(?:supported|known|handled|recogni[sz]ed|implemented|expected)|no (?:such|handler for))\b`;
const AFTERWARDS = String.raw`(?:not (?:a |an )?(?:supported|known|handled|recogni[sz]ed|implemented|found|valid|allowed)|un(?:supported|known|handled|recogni[sz]ed|implemented))\b`;
const KIND = String.raw`(?:rpc|message|request|method|command)s?\b(?:[ _-](?:type|kind|name))?`;
const OURS = String.raw`['"\x60]?(?:target\.)?describe\b['"\x60]?`;

/** "unsupported target RPC type", "method not found", "invalid type: target.describe", "'describe' is not supported" … */
const SENTENCES: readonly RegExp[] = [
  new RegExp(String.raw`${NOT_KNOWN}\s+(?:[\w-]+\s+){0,2}${KIND}`, 'i'),
  /\binvalid\s+(?:[\w-]+\s+){0,2}(?:rpc|message|request|method|command)[ _-](?:type|kind|name)\b/i,
  new RegExp(String.raw`\b${KIND}\s*(?:${OURS}\s*)?(?:is\s+|are\s+)?${AFTERWARDS}`, 'i'),
  new RegExp(String.raw`(?:${NOT_KNOWN}|\binvalid\b)[^.;]{0,24}${OURS}`, 'i'),
  new RegExp(String.raw`${OURS}\s*(?:is\s+|:\s*)?${AFTERWARDS}`, 'i'),
  // A dictionary or an enumeration of message types that lacks ours.
  new RegExp(`^${OURS}$`, 'i'),
  new RegExp(String.raw`\binput should be\b.*${OURS}`, 'i'),
];

/**
 * Does an error answer to `target.describe` mean that the server does not know this message? There is no fixed code for it:
 * servers say it in their own words. A fault while describing (a missing suite, no GPU) is something else.
 */
export function isUnsupported(code: string, message: string): boolean {
  return CODE.test(code) || SENTENCES.some((sentence) => sentence.test(message.trim()));
}
