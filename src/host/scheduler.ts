import type { Scheduled } from './adapter-plan.ts';
import { RuntimeFailure, ScheduleFailure } from './python-error.ts';
import type { SkillRuntime, Target } from './registry-schema.ts';
import type { Session } from './session-schema.ts';

/** Order in which pending sessions are taken. */
export const RANK = { high: 0, normal: 1, low: 2 } as const;

/** The session the runtime takes next: by priority, then by place in the file; `depends_on` and times do not count. */
export function selectNext(
  sessions: readonly Session[],
  targets: readonly Target[],
  skills: readonly SkillRuntime[],
): Scheduled | null {
  const pending = sessions.filter((session) => session.status === 'pending');
  const [first, ...rest] = pending;
  if (first === undefined) return null;
  const next = rest.reduce(
    (best, session) => (RANK[session.priority] < RANK[best.priority] ? session : best),
    first,
  );
  try {
    return resolveSession(next, targets, skills);
  } catch (error) {
    if (error instanceof RuntimeFailure) throw new ScheduleFailure(next.session_id, error.message);
    throw error;
  }
}

/** Target and skill runtime of a session; of several with one id the first counts. Throws SCHEMA_VALIDATION. */
export function resolveSession(
  session: Session,
  targets: readonly Target[],
  skills: readonly SkillRuntime[],
): Scheduled {
  const targetId = withoutPrefix(session.target_ref, 'target://');
  const skillId = withoutPrefix(session.skillruntime_ref, 'skillruntime://');
  const refuse = (message: string): never => {
    throw new RuntimeFailure('SCHEMA_VALIDATION', message);
  };
  const target = targets.find((each) => each.id === targetId) ?? refuse(`target not found: ${targetId}`);
  const skill = skills.find((each) => each.id === skillId) ?? refuse(`skillruntime not found: ${skillId}`);
  if (!target.supported_skillruntimes.includes(skillId)) {
    refuse(`target ${targetId} does not support skillruntime ${skillId}`);
  }
  if (!skill.supported_target_kinds.includes(target.target_kind)) {
    refuse(`skillruntime ${skillId} does not support target kind ${target.target_kind}`);
  }
  return { session, target, skill };
}

function withoutPrefix(value: string, prefix: string): string {
  return value.startsWith(prefix) ? value.slice(prefix.length) : value;
}
