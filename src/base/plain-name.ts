/** Longest name of one file or folder on common file systems, in bytes. */
const MAX_NAME_BYTES = 255;

/** May this be the name of one file or folder: no separator, no way up, nothing a file system refuses? Pure. */
export function isPlainName(part: string): boolean {
  return (
    part !== '' && part !== '.' && part !== '..' && !/[/\\\0]/.test(part) && utf8Bytes(part) <= MAX_NAME_BYTES
  );
}

/**
 * Does a path made from this id stay below its folder? The runtime's June version takes ids with slashes, and a sealed
 * bundle may hold such a one. Pure.
 */
export function staysBelow(id: string): boolean {
  return id.split('/').every(isPlainName);
}

/** Schemas import this, and pages in a browser import schemas: no Buffer here. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}
