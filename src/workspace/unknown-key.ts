import { appliedDialect, dialectOfKey, type Reading } from './dialect.ts';
import { monthOf } from './find-dialect.ts';

/**
 * What to say of a key that an entry must not have. Which dialect is meant comes first: a key that one runtime refuses is
 * what another one measures by, so nobody is told to remove it before it is known who reads the document. Pure.
 * @param known the keys that may stand there. @param reading null where the dialects do not differ.
 */
export function unknownKey(
  key: string,
  known: string,
  reading: Reading | null,
): { readonly message: string; readonly fix: string } {
  const said = `unknown key \`${key}\``;
  if (reading === null) return { message: `${said}.`, fix: `Remove it; known are: ${known}.` };
  const applied = appliedDialect(reading);
  const other = dialectOfKey(key, applied);
  const belongs = other === null ? '' : ` \`${key}\` is a key of the ${monthOf(other)} dialect.`;
  if (reading.dialect === null) {
    return {
      message: `${said}. Which dialect of the runtime reads this cannot be told, so the rules of ${applied} are applied.`,
      fix: `Say which runtime it is before anything is removed: \`dialect\` june, july or august.${belongs} Known to ${applied} are: ${known}.`,
    };
  }
  const message = `${said} (dialect ${reading.dialect}, by ${reading.by ?? 'unknown'}).`;
  if (other === null) return { message, fix: `Remove it; known are: ${known}.` };
  return {
    message,
    fix: `${belongs.trim()} When the runtime here is of ${monthOf(other)}, say so with \`dialect: ${other}\`; else remove it. Known are: ${known}.`,
  };
}
