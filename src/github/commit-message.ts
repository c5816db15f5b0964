import { withoutOdd } from '../base/odd-characters.ts';

/** What a commit on the report branch says about itself. */
export interface CommitWords {
  readonly subject: string;
  readonly runUrl: string | null;
  /** Plan digests of the published suites. */
  readonly planDigests: readonly string[];
  /** Hashes of the sealed bundles. */
  readonly bundleSha256s: readonly string[];
}

const SUBJECT_MAX = 100;

/** Subject and trailers, as `git interpret-trailers` reads them. Line breaks in foreign text become blanks. */
export function commitMessage({ subject, runUrl, planDigests, bundleSha256s }: CommitWords): string {
  const trailers = [
    ...(runUrl === null ? [] : [`Run-Url: ${line(runUrl)}`]),
    ...planDigests.map((digest) => `Plan-Digest: ${line(digest)}`),
    ...bundleSha256s.map((hash) => `Bundle-Sha256: ${line(hash)}`),
  ];
  // [skip ci] would hide the branch from workflows on purpose written for it, so it is not added.
  return `${[...line(subject)].slice(0, SUBJECT_MAX).join('')}\n\n${trailers.join('\n')}\n`;
}

function line(text: string): string {
  return withoutOdd(text.replace(/\s+/g, ' ')).trim();
}
