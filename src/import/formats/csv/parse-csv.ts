import { WhyNot } from '../../../base/why-not.ts';

/** A record of a CSV file with the line that it begins on, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * The records of a CSV text (RFC 4180): fields in quotes may hold commas, quotes written twice, and line ends. Empty lines are
 * none. Linear in the length of the text. Pure.
 * @returns why, for what is no CSV: a quote that does not end.
 */
export function parseCsv(text: string): readonly CsvRecord[] | WhyNot {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let line = 1;
  let begins = 1;
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const close = (): void => {
    if (fields.length > 1 || fields[0] !== '') records.push({ line: begins, fields });
    fields = [];
  };
  while (at < text.length) {
    if (fields.length === 0) begins = line;
    let field: string;
    if (text[at] === '"') {
      const quoted = quotedField(text, at);
      if (quoted === null) return new WhyNot(`the quote on line ${line} does not end`);
      field = quoted.field;
      line += field.split('\n').length - 1;
      at = quoted.end;
    } else {
      const end = endOfPlain(text, at);
      field = text.slice(at, end);
      at = end;
    }
    fields.push(field);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length || text[at] === '\r' || text[at] === '\n') fields.push('');
      else continue;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    line += 1;
    close();
  }
  if (fields.length > 0) close();
  return records;
}

function endOfPlain(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const unit = text[at];
    if (unit === ',' || unit === '\n' || unit === '\r') return at;
  }
  return text.length;
}

function quotedField(text: string, from: number): { readonly field: string; readonly end: number } | null {
  const parts: string[] = [];
  let begin = from + 1;
  for (;;) {
    const end = text.indexOf('"', begin);
    if (end === -1) return null;
    parts.push(text.slice(begin, end));
    if (text[end + 1] !== '"') {
      // Whatever follows the quote belongs to no field of ours.
      return { field: parts.join('"'), end: endOfPlain(text, end + 1) };
    }
    begin = end + 2;
  }
}
