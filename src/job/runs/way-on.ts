import * as path from 'node:path';
import { checkAttempt } from '../../bundle/check-attempt.ts';
import { BUNDLE_FILES } from '../../bundle/layout.ts';
import { RbError } from '../../errors/rb-error.ts';
import { isThere } from '../../files/is-there.ts';
import { attemptsOf } from './attempt-folders.ts';
import { whyStaysSealed } from './reopen.ts';

/** What can be done about a run that is not done with. */
export type WayOn =
  /** `resume` goes on with it. */
  | { readonly kind: 'resume' }
  /** It is sealed and has its result; absolute folder. */
  | { readonly kind: 'sealed'; readonly bundleDir: string }
  /** Nothing of it can be used; why, in words. */
  | { readonly kind: 'none'; readonly why: string };

/**
 * What would become of a resume of a run, as far as its last attempt tells; plan, commit and policy are not looked at.
 * A run without any attempt can be resumed only where something else says that it may begin.
 */
export async function wayOn(workspace: string, runId: string, signal?: AbortSignal): Promise<WayOn | null> {
  const last = (await attemptsOf(workspace, runId)).at(-1);
  if (last === undefined) return null;
  const { bundleDir } = last;
  const looking = signal === undefined ? {} : { signal };
  try {
    if (await isThere(path.join(bundleDir, BUNDLE_FILES.manifest)))
      return (await whyStaysSealed(bundleDir)) === null ? { kind: 'resume' } : { kind: 'sealed', bundleDir };
    const [unsound] = await checkAttempt(bundleDir, looking);
    return unsound === undefined
      ? { kind: 'resume' }
      : { kind: 'none', why: `${path.basename(bundleDir)}/${unsound.path} is not what was recorded` };
  } catch (error) {
    if (!(error instanceof RbError)) throw error;
    return { kind: 'none', why: `${path.basename(bundleDir)} cannot be read` };
  }
}
