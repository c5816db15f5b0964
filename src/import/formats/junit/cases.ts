import type { ImportedEpisode } from '../../importer/importer.ts';
import { OUTCOME_ONLY } from '../../importer/outcome-only.ts';

/** A test case as it stands in the file. */
export interface Case {
  /** Name of the innermost suite around it. */
  readonly suite: string | null;
  readonly className: string;
  readonly name: string;
  /** Seconds, as text. */
  readonly time: string | null;
  readonly arm: string;
  readonly line: number;
  /** Names of the elements in it. */
  readonly children: readonly string[];
  readonly details: {
    readonly name: string;
    readonly type: string | null;
    readonly message: string | null;
  }[];
}

/** `t3-i7-r0-candidate put the bowl …`: a cell of ours; `t3-episode7-…` where the number stands for no initial state. */
const OWN = /^t(\d{1,9})-(i|episode)(\d{1,15})-r(\d{1,9})-(?:candidate|baseline)(?: (.*))?$/s;
const TASK = /(?:^|[^a-z])task[ _.-]?(\d{1,9})$/i;
const STATE = /^\D{0,40}?(\d{1,15})$/;

/** Do task and initial state stand in the names of a case, by numbers? Pure. */
export function isNumbered({ className, name }: Case): boolean {
  const own = OWN.exec(name);
  return own !== null ? own[2] === 'i' : TASK.test(className) && STATE.test(name);
}

interface Around {
  readonly file: string;
  /** Name of the outermost element. */
  readonly root: string | null;
  /** Every case of all files names task and state by numbers. */
  readonly numbered: boolean;
}

/** A case as an episode. Pure. */
export function caseEpisode(each: Case, { file, root, numbered }: Around): ImportedEpisode {
  const own = OWN.exec(each.name);
  const { outcome, code, message } = outcomeOf(each);
  const seconds = each.time !== null && /^\d{1,9}(?:\.\d{1,9})?$/.test(each.time) ? Number(each.time) : null;
  const common = {
    ...OUTCOME_ONLY,
    outcome,
    // A case that was not run took no time that anybody asks for.
    durationMs: seconds === null || outcome === 'not_run' ? null : 1000 * seconds,
    errorCode: code,
    errorMessage: message,
    at: `${file}:${each.line}`,
  } as const;
  if (own !== null) {
    const [, task = '', , state = '', run = '', language = ''] = own;
    const id = Number(task);
    return {
      ...common,
      suite: root ?? each.suite,
      task: { id, name: task },
      language,
      place: Number(state),
      run: Number(run),
    };
  }
  if (numbered) {
    const id = Number(TASK.exec(each.className)?.[1] ?? 0);
    const place = Number(STATE.exec(each.name)?.[1] ?? 0);
    return { ...common, suite: each.suite, task: { id, name: String(id) }, language: '', place };
  }
  return { ...common, suite: each.suite, task: { id: null, name: each.className }, place: null };
}

/** Types that our own files have for an episode that ran out of time. */
const TIMEOUTS: ReadonlySet<string> = new Set(['TIMED_OUT', 'EXECUTION_TIMEOUT', 'SESSION_TIMEOUT']);

type Told = Pick<ImportedEpisode, 'outcome'> & {
  readonly code: string | null;
  readonly message: string | null;
};

/** Of a case that was run again the first attempt counts, whatever came of the others. */
function outcomeOf({ children, details }: Case): Told {
  const first = (names: readonly string[]): Case['details'][number] | null =>
    details.find(({ name }) => names.includes(name)) ?? null;
  const error = first(['error', 'flakyError']);
  const failure = first(['failure', 'flakyFailure']);
  if (failure !== null && (error === null || details.indexOf(failure) < details.indexOf(error)))
    return { outcome: 'failure', code: null, message: failure.message };
  if (error !== null) {
    const timedOut = TIMEOUTS.has(error.type ?? '') || error.message === 'timed_out';
    return { outcome: timedOut ? 'timed_out' : 'error', code: error.type, message: error.message };
  }
  if (children.includes('skipped')) return { outcome: 'not_run', code: null, message: null };
  return { outcome: 'success', code: null, message: null };
}
