import * as path from 'node:path';
import type { FilmCrew } from '../../film/crew.ts';
import { RAW_FOLDER } from '../../queue/archive.ts';
import { createRecorder, type PolicyRecorder } from '../../queue/policy-recorder.ts';
import type { ArmPolicy } from '../prepare/policies.ts';
import { websocketOf } from '../prepare/record-policy.ts';

/** A recorder for the sessions of one attempt; the caller closes it. */
export function recorderFor(
  bundleDir: string,
  policies: readonly ArmPolicy[],
  crew: FilmCrew | null,
): PolicyRecorder {
  return createRecorder(
    path.join(bundleDir, RAW_FOLDER),
    policies.flatMap(({ arm, endpoint, before }) => {
      const url = websocketOf(endpoint);
      return url === null ? [] : [{ arm, url, before }];
    }),
    crew,
  );
}
