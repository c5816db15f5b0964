import { randomBytes } from 'node:crypto';
import { errorOf, type RbError } from '../errors/rb-error.ts';
import type { Clock, Log } from '../platform/ports.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface ArtifactUpload {
  readonly name: string;
  /** Absolute paths below `root`. */
  readonly files: readonly string[];
  readonly root: string;
  /** Days, null for the repository's setting. */
  readonly retentionDays: number | null;
  readonly deadlineMs: number;
  /** The one file as it is, under its own name, which a browser opens; left out: all files in one archive. */
  readonly unzipped?: boolean;
}
export type UploadOutcome =
  | {
      readonly kind: 'uploaded';
      readonly id: number;
      readonly name: string;
      /** Of the archive GitHub keeps; null when the service did not say. */
      readonly sha256: string | null;
      readonly bytes: number | null;
    }
  /** Here is no artifact service; everything else still works. */
  | { readonly kind: 'no-service'; readonly why: string };

/** The parts of @actions/artifact we use; loaded at the first upload, because it is more than a megabyte of code. */
interface ArtifactStore {
  uploadArtifact(
    name: string,
    files: string[],
    root: string,
    options: { retentionDays?: number; skipArchive?: boolean },
  ): Promise<{ id?: number; size?: number; digest?: string }>;
}

/** Why artifacts cannot be used here, null when they can. The runner gives the service's address only to actions. */
export function artifactServiceMissing(env: Env): string | null {
  const server = env['GITHUB_SERVER_URL'] ?? 'https://github.com';
  const host = URL.canParse(server) ? new URL(server).hostname.toLowerCase() : '';
  if (host !== 'github.com' && !host.endsWith('.ghe.com') && !host.endsWith('.localhost')) {
    return `GitHub Enterprise Server (${host}) does not offer the artifact service this needs.`;
  }
  if ((env['ACTIONS_RUNTIME_TOKEN'] ?? '') === '' || (env['ACTIONS_RESULTS_URL'] ?? '') === '') {
    return 'ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are not set; the runner gives them to actions, not to `run:` steps.';
  }
  return null;
}

export interface ArtifactPorts {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Log;
  readonly store?: () => Promise<ArtifactStore>;
  /** Four hex digits for a name that is taken. */
  readonly suffix?: () => string;
}

/**
 * Uploads files as one archive, or one as it is. A name that is taken gets a suffix once; the local files stay where they are.
 * @throws RbError RB821 when the upload fails or outlasts its deadline
 */
export async function uploadArtifact(upload: ArtifactUpload, ports: ArtifactPorts): Promise<UploadOutcome> {
  const why = artifactServiceMissing(ports.env);
  if (why !== null) return { kind: 'no-service', why };
  const suffix = ports.suffix ?? (() => randomBytes(2).toString('hex'));
  // A file that is sent as it is has no other name than its own.
  const names = upload.unzipped === true ? [upload.name] : [upload.name, `${upload.name}-${suffix()}`];
  const deadline = new AbortController();
  const late = ports.clock.sleep(upload.deadlineMs, deadline.signal).then(() => 'late' as const);
  try {
    return await Promise.race([
      attempts(upload, names, ports),
      late.then(() => Promise.reject(tooLate(upload))),
    ]);
  } finally {
    deadline.abort();
  }
}

async function attempts(
  upload: ArtifactUpload,
  names: readonly string[],
  ports: ArtifactPorts,
): Promise<UploadOutcome> {
  const store = await (ports.store ?? loadStore)();
  const options = {
    ...(upload.retentionDays === null ? {} : { retentionDays: upload.retentionDays }),
    ...(upload.unzipped === true ? { skipArchive: true } : {}),
  };
  for (const [index, name] of names.entries()) {
    try {
      const sent = await store.uploadArtifact(name, [...upload.files], upload.root, options);
      if (sent.id === undefined) throw new Error('the service gave no artifact id');
      return { kind: 'uploaded', id: sent.id, name, sha256: sent.digest ?? null, bytes: sent.size ?? null };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const taken = /\b409\b|already exists|conflict/i.test(reason);
      if (!taken || index === names.length - 1) throw failed(upload, reason);
      ports.log.info(`The artifact name ${name} is taken; trying ${names[index + 1]}.`);
    }
  }
  throw failed(upload, 'no name left');
}

async function loadStore(): Promise<ArtifactStore> {
  const { DefaultArtifactClient } = await import('@actions/artifact');
  return new DefaultArtifactClient();
}

function tooLate(upload: ArtifactUpload): RbError {
  return failed(upload, `it took longer than ${Math.round(upload.deadlineMs / 1000)} s`);
}

function failed({ name, root }: ArtifactUpload, reason: string): RbError {
  return errorOf('RB821', {
    where: `artifact ${name}`,
    message: `The upload failed: ${reason.replace(/\s+/g, ' ').slice(0, 300)}.`,
    fix: `The files are kept in ${root}; upload them with actions/upload-artifact, or run the job again.`,
  });
}
