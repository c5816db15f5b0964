import type { Chance } from './chance.ts';
import { DocumentWriter, typed } from './document-writer.ts';
import { INDICATORS, WORDS } from './pieces.ts';

/*
 * Random YAML for the differential test: documents of the whole grammar, damaged documents, and soups of its pieces. Most
 * of them are nearly right, since what nobody would take shows no difference.
 */

/** One random document. */
export function randomYaml(chance: Chance): string {
  switch (chance.below(10)) {
    case 0:
      return soup(chance, 1 + chance.below(14));
    case 1:
    case 2:
      return damaged(chance, new DocumentWriter(chance).document());
    case 3:
      return `k: ${typed(chance)}\n`;
    default:
      return new DocumentWriter(chance).document();
  }
}

function soup(chance: Chance, length: number): string {
  return chance.many(length, () => chance.one(chance.in(2) ? INDICATORS : WORDS)).join('');
}

/** Some pieces cut out, doubled, moved or put in. */
function damaged(chance: Chance, text: string): string {
  let result = text;
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const at = chance.below(result.length + 1);
    const end = at + (chance.in(2) ? 1 : chance.below(8));
    const piece =
      [chance.one(INDICATORS), chance.one(WORDS), result.slice(at, end), ''][chance.below(4)] ?? '';
    const rest = result.slice(chance.in(2) ? end : at);
    result = result.slice(0, at) + piece + rest;
  }
  return result;
}
