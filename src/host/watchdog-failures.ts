import { join } from 'node:path';
import { ZodError } from 'zod';
import type { FreeMap } from './loose-values.ts';
import { RuntimeFailure, WatchdogCrash } from './python-error.ts';
import { CachedDocument } from './runtime-document.ts';
import { documentCrash } from './session-registry.ts';

/** A registry document whose refusal ends the pass. */
export function registryFile<T>(
  workspace: string,
  name: string,
  parse: (block: FreeMap) => T,
): CachedDocument<T> {
  const path = join(workspace, name);
  return new CachedDocument(path, path, (block) => {
    try {
      return parse(block);
    } catch (error) {
      if (error instanceof ZodError) throw documentCrash(name, error);
      throw error;
    }
  });
}

/** An error the original would not have is a mistake in the stand-in: its stack becomes the message. */
export function crashOf(error: unknown): WatchdogCrash {
  if (error instanceof WatchdogCrash) return error;
  return new WatchdogCrash(
    'HostError',
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}

/** Code and text of any error inside a pass; a document that broke meanwhile fails the session like anything else. */
export function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof RuntimeFailure) return { code: error.code, message: error.message };
  if (error instanceof WatchdogCrash) {
    const code = error.pythonName === 'SchemaValidationError' ? 'SCHEMA_VALIDATION' : 'RUNTIME_ERROR';
    return { code, message: error.message };
  }
  throw error;
}
