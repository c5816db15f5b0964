import { distHash } from './dist-hash.ts';
import { VERSION } from './version.ts';

/** This program, as bundles and qualifications name it. */
interface ToolFacts {
  readonly version: string;
  /** As `distHash`; null when the program runs from its sources. */
  readonly distHash: string | null;
}

export async function toolFacts(): Promise<ToolFacts> {
  return { version: VERSION, distHash: await distHash() };
}
