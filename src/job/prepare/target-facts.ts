import type { TargetFacts } from '../../plan/pairs.ts';
import type { TargetEntry } from '../../workspace/targets.ts';

/** What the preconditions look at of a target, named as in TARGETS.md. Pure. */
export function targetFacts(target: TargetEntry): TargetFacts {
  return {
    id: target.id,
    target_kind: target.targetKind,
    enabled: target.enabled,
    supported_skillruntimes: target.supportedSkillruntimes,
    runtime: { target_endpoint: target.targetEndpoint },
    config: target.config,
  };
}
