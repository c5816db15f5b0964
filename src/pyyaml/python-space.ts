/** White space as the runtime's language defines it, as a class of a pattern; JavaScript's own differs by six characters. */
export const PYTHON_SPACE =
  '[\\t\\n\\v\\f\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
