import { YAML_TAG } from './nodes.ts';
import type { Directive } from './scan-directive.ts';
import type { Scanner } from './scanner.ts';
import { quoted, refuse } from './yaml-error.ts';

/** What the handles of tags stand for. */
export type TagHandles = ReadonlyMap<string, string>;

export const DEFAULT_HANDLES: TagHandles = new Map([
  ['!', '!'],
  ['!!', YAML_TAG],
]);

/** Takes the directives of a document and the `---` behind them. */
export function takeDocumentStart(scanner: Scanner): TagHandles {
  const handles = new Map<string, string>();
  let hasVersion = false;
  while (scanner.peek().kind === '<directive>') {
    const token = scanner.take();
    // The scanner gives every directive its parts.
    const directive = token.detail as Directive;
    if (directive.name === 'YAML') {
      if (hasVersion) refuse(null, 'found duplicate YAML directive', token.start);
      if (directive.major !== 1)
        refuse(null, 'found incompatible YAML document (version 1.* is required)', token.start);
      hasVersion = true;
    } else if (directive.name === 'TAG') {
      const { handle, prefix } = directive;
      if (handles.has(handle)) refuse(null, `duplicate tag handle ${quoted(handle)}`, token.start);
      handles.set(handle, prefix);
    }
  }
  const next = scanner.peek();
  if (next.kind !== '<document start>')
    refuse(null, `expected '<document start>', but found '${next.kind}'`, next.start);
  scanner.take();
  return new Map([...DEFAULT_HANDLES, ...handles]);
}

/** Refuses a second document behind the first. */
export function takeDocumentEnd(scanner: Scanner): void {
  while (scanner.peek().kind === '<document end>') scanner.take();
  const { kind, start } = scanner.peek();
  if (kind === '<stream end>') return;
  takeDocumentStart(scanner);
  refuse('expected a single document in the stream', 'but found another document', start);
}
