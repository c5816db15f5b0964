import { CannotDescribe } from '../../describe/client.ts';
import type { TargetDescription } from '../../describe/description.ts';
import { RbError } from '../../errors/rb-error.ts';
import { type Discovery, type DiscoveryRequest, discoverTasks } from '../../plan/discovery.ts';

/** A target that answers and cannot say what it is. */
export interface Undescribed {
  readonly unavailable: string;
}

interface DiscoverRequest extends Omit<DiscoveryRequest, 'description'> {
  /** Where the target listens; null for a target inside the runtime. */
  readonly endpoint: string | null;
  readonly describe: (endpoint: string) => Promise<TargetDescription>;
}

export interface DiscoverResult {
  readonly discovery: Discovery;
  /** Null when the target cannot describe itself. */
  readonly description: TargetDescription | null;
}

/**
 * Asks the target and decides which tasks can be planned. On `needs primer` the caller runs one session of the wanted
 * suite while the queue is idle, and calls again with `primed: true`.
 * @throws RbError when the target cannot be asked although it should be able to answer.
 */
export async function discover(request: DiscoverRequest): Promise<DiscoverResult> {
  const { endpoint, describe, ...rest } = request;
  const description =
    endpoint === null
      ? { unavailable: 'the target has no endpoint to ask' }
      : await describedOrNot(describe(endpoint));
  return {
    discovery: discoverTasks({ ...rest, description }),
    description: 'unavailable' in description ? null : description,
  };
}

/** What a target said, or that it does not know the question; every other fault must be heard. */
export async function describedOrNot(
  asked: Promise<TargetDescription>,
): Promise<TargetDescription | Undescribed> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RbError && error.cause instanceof CannotDescribe)
      return { unavailable: 'the target server does not know target.describe' };
    throw error;
  }
}
