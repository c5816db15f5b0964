import { createHash } from 'node:crypto';

/** SHA-256 of a text in UTF-8 or of bytes, as 64 hex digits. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
