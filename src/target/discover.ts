import { RbError } from '../errors/rb-error.ts';
import { type Discovery, type DiscoveryRequest, discoverTasks } from '../plan/discovery.ts';
import { type DescribeOptions, describeTarget } from './client.ts';
import type { TargetDescription } from './description.ts';

export interface DiscoverRequest extends Omit<DiscoveryRequest, 'description'> {
  /** Where the target listens; null for a target inside the runtime. */
  readonly endpoint: string | null;
  readonly describe: DescribeOptions;
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
  const description = await describedOrNot(endpoint, describe);
  return {
    discovery: discoverTasks({ ...rest, description }),
    description: 'unavailable' in description ? null : description,
  };
}

async function describedOrNot(
  endpoint: string | null,
  options: DescribeOptions,
): Promise<TargetDescription | { readonly unavailable: string }> {
  if (endpoint === null) return { unavailable: 'the target has no endpoint to ask' };
  try {
    return await describeTarget(endpoint, options);
  } catch (error) {
    if (isUnsupported(error)) return { unavailable: 'the target server does not know target.describe' };
    throw error;
  }
}

/** A server without describe says so in its error; every other fault must be heard. */
function isUnsupported(error: unknown): boolean {
  return (
    error instanceof RbError &&
    error.problems.some(
      (problem) => problem.code === 'RB322' && /unsupported[^:]*: target\.describe/i.test(problem.message),
    )
  );
}
