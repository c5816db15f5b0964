import type { GivenSet } from '../../import/given-files.ts';
import type { ImportedSuite } from '../../import/imported-suites.ts';
import type { ImportedFacts } from '../../model/imported-facts.ts';
import { RUN_SCHEMA_ID, type RunFacts } from '../../model/run-facts.ts';
import type { ImportRequest } from './import-request.ts';
import type { Kept } from './keep-files.ts';

interface RunParts {
  readonly id: string;
  /** Of the plan. */
  readonly digest: string;
  readonly suite: ImportedSuite;
  readonly set: GivenSet;
  readonly kept: Kept;
  readonly tool: RunFacts['tool'];
}

/** run.json of an import: what the files and the user say, and null for the rest. Pure. */
export function importedRun(
  { id, digest, suite, set, kept, tool }: RunParts,
  { asked, policyRef, source, nowMs }: Pick<ImportRequest, 'asked' | 'policyRef' | 'source' | 'nowMs'>,
): RunFacts & { readonly imported: ImportedFacts } {
  const { facts, fingerprint } = suite;
  return {
    schema: RUN_SCHEMA_ID,
    runId: id,
    attempt: 1,
    planDigest: digest,
    evidenceClass: 'imported',
    tool,
    startedAt: null,
    sealedAt: new Date(nowMs).toISOString(),
    shard: null,
    positions: null,
    target: { id: set.importer.format, endpoint: null, kind: null },
    arms: [
      {
        arm: 'candidate',
        endpoint: null,
        policyRef,
        checkpointDigest: null,
        imageDigest: null,
        metadataBefore: null,
        metadataAfter: null,
        changed: null,
      },
    ],
    discovery: { method: facts.title, note: null },
    runtime: {},
    host: {},
    fingerprint: { ...fingerprint },
    source,
    imported: {
      format: set.importer.format,
      ...facts,
      files: [...kept.files],
      names: set.names.length > 0,
      asked,
      figures: [...facts.figures],
      notes: [...facts.notes],
    },
    phases: [],
    warnings: kept.repeated
      .slice(0, 20)
      .map((name) => `${name} was given twice, or has the content of another file; it counts once.`),
  };
}
