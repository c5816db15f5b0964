import { capWord, JOURNAL_SCHEMA_ID } from '../../model/journal-events.ts';
import { isFinished } from './admission.ts';
import { capHalt, considerCaps } from './caps.ts';
import { changed, changeQueue, prepared } from './change.ts';
import { type Command, type Event, journal, ledger } from './commands.ts';
import { considerStop, isStoppedClean } from './early-stop.ts';
import { askWhyQuiet } from './explain.ts';
import {
  conclude,
  isBack,
  lastLook,
  lookBack,
  putBack,
  readKept,
  refused,
  rewritten,
  sayStopping,
  stay,
  takeBack,
} from './finish.ts';
import { collected, follow, seen } from './follow.ts';
import { considerHalt, suspect, suspected } from './halt.ts';
import { considerPause } from './pause.ts';
import { adopted, sweepOtherRuns, swept, takeOver, withdrawUnheard } from './recover.ts';
import { checkTargets, removeIdleTargets, restored, standingAfter, targetsLeft } from './standing-targets.ts';
import { type Decision, type Now, RULE_ORDER, type RuleName, type State } from './state.ts';
import { giveBackEarlier } from './weigh.ts';
import { withdrawn, withdrawPending } from './withdraw.ts';
import { back, considerYield } from './yield.ts';

/** Longest sleep between two looks: for clocks (timeouts, probes), since the watch reports changes at once. */
const TICK_MS = 1_000;

type Rule = (state: State, now: Now) => Decision;

const command =
  (...commands: readonly Command[]): Rule =>
  () => ({ commands });

/** What an execution does in turn. Each rule is asked once a round, when all that the one before wanted is done. */
const RULES: Readonly<Record<RuleName, Rule>> = {
  begin,
  earlier: command({ type: 'read_earlier' }),
  holdings: command({ type: 'read_ledger' }),
  give_back: giveBackEarlier,
  unheard: withdrawUnheard,
  sweep: sweepOtherRuns,

  look: command({ type: 'look' }),
  follow,
  diagnose: askWhyQuiet,
  report: command({ type: 'report' }),
  halt: considerHalt,
  stop: considerStop,
  stop_back: takeBackStopped,
  caps: considerCaps,
  caps_back: takeBackCapped,
  pause: considerPause,
  yield: considerYield,
  restore: checkTargets,
  change: changeQueue,
  done: considerEnd,
  wait: () => ({ change: { next: 'look' }, commands: [{ type: 'wait', ms: TICK_MS }] }),

  suspect,
  stopping: sayStopping,
  back: takeBack,
  last_look: lastLook,
  last_follow: follow,
  last_change: changeQueue,
  last_targets: removeIdleTargets,
  farewell: stay,
  last_sweep: sweepOtherRuns,
  look_back: lookBack,
  put_back: readKept,
  conclude,
};

const FOLLOWING = new Map(RULE_ORDER.map((name, at) => [name, RULE_ORDER[at + 1] ?? name]));

/**
 * What an execution knows and wants after an event. Pure: it reads no file and no clock, so that the last command that
 * was performed may be any of them.
 */
export function step(
  state: State,
  event: Event,
  now: Now,
): { readonly state: State; readonly commands: readonly Command[] } {
  if (event.type !== 'idle') return taken(state, react(state, event, now));
  const at = state.next;
  const asked = { ...state, at, next: FOLLOWING.get(at) ?? at };
  return taken(asked, RULES[at](asked, now));
}

function taken(state: State, { change, commands = [] }: Decision): ReturnType<typeof step> {
  return { state: { ...state, ...change }, commands };
}

function react(state: State, event: Exclude<Event, { type: 'idle' }>, now: Now): Decision {
  switch (event.type) {
    case 'done':
      return {};
    case 'written': {
      const memory = event.journal.length === 0 ? state.memory : state.memory.with(event.journal);
      const standingTargets = standingAfter(state.standingTargets, event.ledger);
      return { change: { memory, standingTargets } };
    }
    case 'looked': {
      const { pause } = state;
      const answers = pause.asking ? event.answers : null;
      return { change: { ...seen(state, event, now), pause: { ...pause, answers } } };
    }
    case 'collected':
      return collected(state, event);
    case 'back':
      return back(state, event.lent, now);
    case 'diagnosed': {
      const { meters } = state;
      return { change: { meters: { ...meters, diagnosis: { ...meters.diagnosis, answer: event.answer } } } };
    }
    case 'changed':
      return suspected(state, event.changedMs, now);
    case 'prepared':
      return prepared(state, event.sessions, now);
    case 'edited':
      return edited(state, event, now);
    case 'damaged':
      return restored(state, event.targets);
    case 'earlier':
      return takeOver(state, event.attempts, now);
    case 'copied':
      return adopted(state, event.session, event.archive);
    case 'ledger_read':
      return { change: { standingTargets: targetsLeft(state.job.runId, event.holdings) } };
    case 'swept':
      return swept(state, event.sessions, event.cellTargets);
    case 'rewritten':
      return rewritten(state, event.sessionIds);
    case 'kept_read':
      return putBack(state, event.entries);
    case 'refused':
      return refused(state, event.reason, event.error);
  }
}

function edited(state: State, event: Extract<Event, { type: 'edited' }>, now: Now): Decision {
  const { purpose } = event.command;
  switch (purpose.for) {
    case 'change':
      return changed(state, purpose.fresh, event.edited, now);
    case 'withdraw':
      return withdrawn(state, purpose, event.edited, now);
    case 'put_back':
      return isBack(state, event.command, event.edited !== null);
  }
}

/** Rule: that the attempt is on its way, before anything else. */
function begin({ job }: State): Decision {
  const { runId, again, attempt, planDigest, bundleDir, plan, resume, identity, lane, primer } = job;
  const { suite } = plan;
  const resumes = resume.map((earlier) => earlier.attempt);
  return {
    commands: [
      ledger({ type: 'run', runId, attempt, bundleDir, ...(again === undefined ? {} : { again }) }),
      journal(
        {
          type: 'started',
          schema: JOURNAL_SCHEMA_ID,
          ...{ runId, attempt, planDigest, suite, resumes },
          identity: { ...identity },
        },
        { type: 'lane', waitedMs: lane.waitedMs, holder: lane.waitedFor },
      ),
      ...(primer === null ? [] : [journal({ type: 'primer', ...primer, suite })]),
    ],
  };
}

/** Rule: nothing that waits is needed once the verdict is proven. */
function takeBackStopped(state: State, now: Now): Decision {
  const { stopped, view, withdrawn: isOut } = state;
  if (stopped === null || isOut || view.snapshot.fault !== null) return {};
  return withdrawPending(state, 'stop', `early stop: ${stopped.decision} is proven`, now);
}

/** Rule: nothing that waits may run once a cap is used up. */
function takeBackCapped(state: State, now: Now): Decision {
  const { capWatch, view, withdrawn: isOut } = state;
  if (capWatch.reached === null || isOut || view.snapshot.fault !== null) return {};
  return withdrawPending(state, 'cap', `the cap ${capWord(capWatch.reached)} is reached`, now);
}

/** Rule: the run ends when every cell is done, or no more may be. */
function considerEnd(state: State, now: Now): Decision {
  const { job, memory } = state;
  if (isStoppedClean(state) || isFinished(memory, job.positions, job.settings))
    return { change: { next: 'stopping' } };
  return capHalt(state, now);
}
