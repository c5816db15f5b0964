import type { TargetDescription } from '../describe/description.ts';
import { type Problem, problemOf } from '../errors/rb-error.ts';
import { configuredId } from './configured-cell.ts';
import { type TasksFile, tasksOf } from './task-languages.ts';

export interface PlannedTask {
  readonly taskId: number;
  readonly language: string;
}

export interface DiscoveryRequest {
  readonly suite: string;
  readonly wanted: readonly number[] | 'all';
  /** What the target answered, or why it was not or could not be asked. */
  readonly description: TargetDescription | { readonly unavailable: string };
  /** A primer session has run for this suite. */
  readonly primed: boolean;
  /**
   * False for a use case that only looks: where a primer would be needed, tasks are then taken from what is written
   * down, if they are. True unless said otherwise.
   */
  readonly mayPrime?: boolean;
  /** Config of the user's target. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly tasksFile: TasksFile | null;
}

type DiscoverySource = 'describe' | 'describe after primer' | 'tasks-file' | 'target config';

export type Discovery =
  | {
      readonly kind: 'found';
      readonly tasks: readonly PlannedTask[];
      readonly source: DiscoverySource;
      /** For the report: which discovery was used, and why. */
      readonly why: string;
      readonly warnings: readonly Problem[];
    }
  /** The server was configured for another suite; one session of the wanted suite changes that. */
  | { readonly kind: 'needs primer'; readonly described: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/**
 * Which tasks a suite has and what each is called. The target's own list is authoritative for the suite it describes;
 * without one, only tasks whose language is written down somewhere can be planned.
 */
export function discoverTasks(request: DiscoveryRequest): Discovery {
  const { description, suite, primed } = request;
  if ('unavailable' in description) return staticTasks(request, description.unavailable);
  if (description.tasks.length === 0 || description.suite === null) {
    return staticTasks(request, 'the target describes no tasks');
  }
  if (description.suite !== suite) {
    if (!primed) return withoutPrimer(request, description.suite);
    return refused({
      code: 'RB340',
      where: `suite ${suite}`,
      message: `the server still describes ${description.suite} after a primer session of ${suite}.`,
      value: description.suite,
      fix: `Check that the target server has the suite ${suite}, and look at its log.`,
    });
  }
  return describedTasks(request, description);
}

function withoutPrimer(request: DiscoveryRequest, described: string): Discovery {
  const needsPrimer: Discovery = { kind: 'needs primer', described };
  if (request.mayPrime !== false) return needsPrimer;
  const written = staticTasks(request, `the server describes ${described}, and no primer session may run`);
  return written.kind === 'found' ? written : needsPrimer;
}

function describedTasks(request: DiscoveryRequest, description: TargetDescription): Discovery {
  const known = new Map(description.tasks.map((task) => [task.taskId, task.language ?? '']));
  const source = request.primed ? 'describe after primer' : 'describe';
  const why = request.primed
    ? `the server described another suite until one uncounted primer session of ${request.suite} had run`
    : `the server describes ${request.suite}`;
  return selected(request, { known, source, why, warnings: disagreements(request, known) });
}

function staticTasks(request: DiscoveryRequest, reason: string): Discovery {
  const filed = request.tasksFile === null ? null : tasksOf(request.tasksFile, request.suite);
  if (filed !== null) {
    return selected(request, {
      known: filed,
      source: 'tasks-file',
      why: `${reason}; languages are from the tasks-file`,
      warnings: [],
    });
  }
  const known = configuredTask(request);
  return selected(request, {
    known,
    source: 'target config',
    why: `${reason}; only the task of the target's config is known`,
    warnings: [],
  });
}

function configuredTask({ config, suite }: DiscoveryRequest): ReadonlyMap<number, string> {
  const { benchmark_name: configured } = config;
  const id = configuredId(config.task_id);
  const language = config.task_description ?? config.language;
  if (configured !== undefined && configured !== suite) return new Map();
  if (id === null || id < 0 || typeof language !== 'string') return new Map();
  return new Map([[id, language]]);
}

interface Knowledge {
  readonly known: ReadonlyMap<number, string>;
  readonly source: DiscoverySource;
  readonly why: string;
  readonly warnings: readonly Problem[];
}

function selected(request: DiscoveryRequest, knowledge: Knowledge): Discovery {
  const { known } = knowledge;
  const ids = request.wanted === 'all' ? [...known.keys()] : request.wanted;
  const described = knowledge.source.startsWith('describe');
  const absent = ids.filter((id) => !known.has(id));
  const speechless = ids.filter((id) => known.get(id) === '');
  if (described && absent.length > 0) {
    return refused({
      code: 'RB342',
      where: `input tasks, suite ${request.suite}`,
      message: `the suite has no task ${absent.join(', ')}.`,
      value: absent.join(','),
      fix: `It has ${idList([...known.keys()])}.`,
    });
  }
  const unknown = [...absent, ...speechless];
  if (unknown.length > 0 || ids.length === 0) {
    return refused({
      code: 'RB341',
      where: `suite ${request.suite}`,
      message: `the language of ${unknown.length === 0 ? 'every task' : `task ${unknown.join(', ')}`} is unknown (${knowledge.why}).`,
      fix:
        known.size === 0
          ? 'Give a tasks-file with the languages.'
          : `Known are ${idList([...known.keys()])}; give the others in a tasks-file.`,
    });
  }
  return {
    kind: 'found',
    tasks: ids.map((taskId) => ({ taskId, language: known.get(taskId) ?? '' })),
    source: knowledge.source,
    why: knowledge.why,
    warnings: knowledge.warnings,
  };
}

/** The target's word stands; a file that says something else is worth a look. */
function disagreements(request: DiscoveryRequest, known: ReadonlyMap<number, string>): Problem[] {
  const filed = request.tasksFile === null ? null : tasksOf(request.tasksFile, request.suite);
  const different = [...(filed ?? [])].filter(
    ([id, language]) => known.has(id) && known.get(id) !== language,
  );
  if (different.length === 0) return [];
  return [
    problemOf('RB344', {
      where: 'input tasks-file',
      message: `the target has another language for task ${different.map(([id]) => id).join(', ')}; the target's is used.`,
    }),
  ];
}

function idList(ids: readonly number[]): string {
  return ids.length > 20 ? `${ids.length} tasks from ${ids[0]} to ${ids.at(-1)}` : `task ${ids.join(', ')}`;
}

function refused(problem: Omit<Problem, 'severity'>): Discovery {
  return { kind: 'refused', problems: [{ ...problem, severity: 'fatal' }] };
}
