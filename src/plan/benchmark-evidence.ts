import type { TargetDescription } from '../describe/description.ts';
import type { Problem } from '../errors/rb-error.ts';

/** Targets of the runtime itself that run no benchmark: their episodes have a result and name no task. */
const WITHOUT_BLOCK: ReadonlySet<string> = new Set(['DummySimTargetRuntime']);

/**
 * RB362: nothing shows that the target's evidence will name the task and the initial state that ran (episode.json
 * `benchmark`), and an episode without them is called missing. Refused for a target that is known never to name them, a
 * warning where it only cannot be seen. Pure.
 * @param description null when the target cannot describe itself.
 * @param evidence with `session` no episode has to name them.
 */
export function benchmarkEvidenceProblems(
  target: { readonly id: string; readonly targetRuntime: string },
  description: TargetDescription | null,
  evidence: 'simulator' | 'session',
): Problem[] {
  if (evidence === 'session') return [];
  const never = WITHOUT_BLOCK.has(target.targetRuntime);
  if (!never && description?.suite != null) return [];
  return [
    {
      code: 'RB362',
      where: `TARGETS.md ${target.id} runtime.target_runtime`,
      message: never
        ? 'episodes of this target name neither task nor initial state, so every one of them would be called missing.'
        : 'the target names no suite, so its episodes may name neither task nor initial state; each that does not is called missing.',
      value: target.targetRuntime,
      fix: 'Give evidence: session to count episodes by the target that their session named and by its own success (weaker; not for a release or a qualification), or benchmark a target whose final status holds episode_summary with benchmark_name, task_id, init_state_id and success, as that of the LIBERO server does.',
      consequence: 'All episodes are measured and none counts.',
      severity: never ? 'fatal' : 'warning',
    },
  ];
}
