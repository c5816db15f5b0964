import * as path from 'node:path';
import { errorOf } from '../../errors/rb-error.ts';
import type { Inputs } from '../../inputs/read-inputs.ts';
import { hostFolder } from '../../lane/host-folder.ts';
import type { Arm } from '../../model/plan.ts';
import type { Log } from '../../platform/ports.ts';
import { checkpointDigest } from '../../policy-process/checkpoint.ts';
import { type Checkout, checkoutOf } from '../../policy-process/git-commit.ts';
import { KnownDigests } from '../../policy-process/known-digests.ts';
import type { Environment } from '../verb.ts';

/** What a policy is started from, as it is on this machine now. */
export interface PolicySource {
  readonly command: string;
  /** Absolute. */
  readonly directory: string;
  /** Null when the folder is in no repository. */
  readonly checkout: Checkout | null;
}

/** By arm; an arm whose policy somebody else serves has none. */
export type PolicySources = Readonly<Partial<Record<Arm, PolicySource>>>;

/** The command and the folder of an arm that is started, null for another. Pure but for the working directory. */
export function startOf(
  inputs: Pick<Inputs, 'policyCommand' | 'baselineCommand' | 'policyDirectory' | 'baselineDirectory'>,
  arm: Arm,
): Pick<PolicySource, 'command' | 'directory'> | null {
  const { policyCommand, baselineCommand, policyDirectory, baselineDirectory } = inputs;
  const command = arm === 'candidate' ? policyCommand : baselineCommand;
  if (command === null) return null;
  const own = arm === 'candidate' ? policyDirectory : (baselineDirectory ?? policyDirectory);
  return { command, directory: path.resolve(own ?? '.') };
}

/** What the commands of these inputs are started from; nothing is started. */
export async function policySources(inputs: Inputs, env: Environment): Promise<PolicySources> {
  const arms: readonly Arm[] = ['candidate', 'baseline'];
  const found = await Promise.all(
    arms.map(async (arm) => {
      const start = startOf(inputs, arm);
      if (start === null) return [];
      return [[arm, { ...start, checkout: await checkoutOf(start.directory, env) }] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}

const SAID_EVERY_BYTES = 64 * 1024 * 1024;

/** Says how much was read, so that a large checkpoint on a slow disk is no silence. */
function progressOn(log: Log): (length: number) => void {
  let read = 0;
  let said = 0;
  return (length) => {
    read += length;
    if (read - said < SAID_EVERY_BYTES) return;
    said = read;
    log.progress(`Computing the digest of the checkpoint, ${(read / 1e9).toFixed(1)} GB read`);
  };
}

interface CheckpointRequest {
  readonly log: Log;
  readonly signal: AbortSignal;
  /** False for a verb that writes nothing to the workspace: what is computed is not kept for the next time. */
  readonly keep: boolean;
}

/**
 * Inputs whose checkpoint digest is that of the named checkpoint, where one is named.
 * @throws RbError RB946 when it cannot be computed, RB947 when another one was declared (exit 3).
 */
export async function withCheckpointDigest(inputs: Inputs, request: CheckpointRequest): Promise<Inputs> {
  const { checkpoint, digests, workspace } = inputs;
  const declared = digests.checkpoint;
  if (checkpoint === null) return inputs;
  const { log, signal, keep } = request;
  const root = path.resolve(checkpoint);
  const file = hostFolder(path.resolve(workspace ?? '.')).checkpoints;
  const known = await KnownDigests.read(file);
  log.info(`Computing the digest of the checkpoint ${root}.`);
  const digest = await checkpointDigest(root, known, signal, progressOn(log));
  // For the next run only: a full disk is said by what matters.
  if (keep) await known.write(file).catch(() => undefined);
  if (declared === null || declared === digest)
    return { ...inputs, digests: { ...digests, checkpoint: digest } };
  throw errorOf('RB947', {
    where: 'input digests',
    message: `the checkpoint ${root} has the digest ${digest}.`,
    value: declared,
    fix: 'Serve the checkpoint that was declared, or declare this one.',
  });
}
