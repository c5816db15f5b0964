import { byCodeUnit } from '../../base/stable-json.ts';
import type { Plan, Thresholds } from '../../model/plan.ts';
import { planOfCells } from '../../plan/make-plan.ts';
import { benchmarkOf } from '../../plan/suite-defaults.ts';
import type { Wanted } from '../../plan/wanted.ts';
import type { AttributedSession, KnownTarget, Unattributable } from './attribute.ts';
import type { FinishedSession } from './finished-session.ts';
import { groupKey, mayBelong, type Setting, sameProtocol, settingOf, stemOf } from './group-key.ts';
import { refuseMixedTasks } from './mixed-tasks.ts';
import { type Member, placeSessions, withReplans } from './place-sessions.ts';
import { type GroupSettings, settingsOf } from './settings.ts';

/** Sessions that measured one thing: one suite, target family, skill runtime, policy and protocol. */
export interface SessionGroup {
  /** Made from the sessions; its cells are theirs, in its order, or those that were wanted. */
  readonly plan: Plan;
  /** All targets of its sessions, sorted. */
  readonly targets: readonly string[];
  readonly settings: GroupSettings;
  readonly members: readonly Member[];
  /** Sessions that belong here, though nothing tells which episode they ran. */
  readonly unattributed: readonly Unattributable[];
}

export interface Grouped {
  readonly groups: readonly SessionGroup[];
  /** Sessions without an episode that fit no group. */
  readonly leftOut: readonly Unattributable[];
}

export interface GroupRequest {
  readonly sessions: readonly AttributedSession[];
  readonly unattributable: readonly Unattributable[];
  /** What tried an episode again for a verifier, by the id of its first attempt; left out: none. */
  readonly replans?: ReadonlyMap<string, readonly FinishedSession[]>;
  readonly targets: ReadonlyMap<string, KnownTarget>;
  /** The user chose these sessions: what fits no group belongs to the only one. */
  readonly chosen: boolean;
  readonly wanted: Wanted | null;
}

interface Draft {
  readonly setting: Setting;
  readonly sessions: AttributedSession[];
  readonly unattributed: Unattributable[];
}

/**
 * One group per suite, target family, skill runtime, policy and protocol: sessions that differ in one of these do not
 * measure the same thing. Pure; independent of the order of the sessions.
 * @throws RbError RB525 for sessions beyond what was wanted, RB535 for two tasks under one number.
 */
export function groupSessions(request: GroupRequest): Grouped {
  const { targets } = request;
  const drafts = new Map<string, Draft>();
  for (const session of request.sessions.toSorted(byId)) {
    const setting = settingOf(session, targets.get(session.target));
    const key = groupKey(session, setting);
    const draft = drafts.get(key) ?? { setting, sessions: [], unattributed: [] };
    draft.sessions.push(session);
    drafts.set(key, draft);
  }
  const ordered = [...drafts]
    .toSorted(([left], [right]) => byCodeUnit(left, right))
    .map(([, draft]) => draft);
  const leftOut = assign(ordered, request);
  return { groups: ordered.map((draft) => groupOf(draft, request)), leftOut };
}

function byId(left: { readonly sessionId: string }, right: { readonly sessionId: string }): number {
  return byCodeUnit(left.sessionId, right.sessionId);
}

/** Puts each session without an episode to every group that it may belong to; gives those that fit none. */
function assign(drafts: readonly Draft[], request: GroupRequest): Unattributable[] {
  const leftOut: Unattributable[] = [];
  const suites = suitesOf(request.sessions);
  const only = request.chosen && drafts.length === 1 ? drafts : [];
  for (const found of request.unattributable.toSorted((left, right) => byId(left.session, right.session))) {
    const fitting = fittingOf(drafts, found, { ...request, suites });
    const homes = fitting.length > 0 ? fitting : only;
    const several = homes.length > 1 ? ', and it may belong to another report as well' : '';
    for (const home of homes) home.unattributed.push({ ...found, reason: `${found.reason}${several}` });
    if (homes.length === 0) leftOut.push(found);
  }
  return leftOut;
}

function fittingOf(
  drafts: readonly Draft[],
  { session }: Unattributable,
  { targets, suites }: Pick<GroupRequest, 'targets'> & { readonly suites: ReturnType<typeof suitesOf> },
): Draft[] {
  const target = targets.get(session.target);
  const own = settingOf(session, target);
  const possible = drafts.filter((draft) =>
    mayBelong(own, draft.setting, new Set(draft.sessions.map((each) => stemOf(each.target)))),
  );
  // Other settings where no group has them: rather counted as lost here than in no report at all.
  const alike = possible.filter((draft) => sameProtocol(own, draft.setting));
  const fitting = alike.length > 0 ? alike : possible;
  // What the target is configured for now says nothing of a target that others reconfigure between sessions.
  const isSteady = [...(suites.get(session.target) ?? [])].every((suite) => suite === target?.suite);
  const ofSuite = fitting.filter((draft) => draft.sessions[0]?.cell.suite === target?.suite);
  return isSteady && ofSuite.length > 0 ? ofSuite : fitting;
}

/** The suites that each target is known to have run. */
function suitesOf(sessions: readonly AttributedSession[]): ReadonlyMap<string, ReadonlySet<string>> {
  const suites = new Map<string, Set<string>>();
  for (const { target, cell } of sessions)
    suites.set(target, (suites.get(target) ?? new Set<string>()).add(cell.suite));
  return suites;
}

function groupOf(
  { sessions, unattributed }: Draft,
  { targets, wanted, replans = new Map() }: GroupRequest,
): SessionGroup {
  const [first] = sessions;
  if (first === undefined) throw new Error('a group has at least one session');
  refuseMixedTasks(sessions);
  const settings = settingsOf(sessions, targets, first.cell.suite);
  const { cells, members } = placeSessions(sessions, wanted);
  const all = [...sessions, ...unattributed.map(({ session }) => session)];
  return {
    plan: planOf(sessions, { cells, settings, unattributed: unattributed.length }),
    targets: [...new Set(all.map(({ target }) => target))].toSorted(),
    settings,
    members: withReplans(members, replans),
    unattributed,
  };
}

/** The simulator's text of each task; where none recorded it, the prompt of a session; unknown is empty. */
function languagesOf(
  sessions: readonly AttributedSession[],
  cells: Plan['cells'],
): ReadonlyMap<number, string> {
  const languages = new Map<number, string>();
  for (const { cell, found } of sessions) {
    const language = found.executed?.language ?? null;
    if (language !== null && !languages.has(cell.taskId)) languages.set(cell.taskId, language);
  }
  for (const { cell, prompt } of sessions) {
    if (!languages.has(cell.taskId)) languages.set(cell.taskId, prompt);
  }
  for (const { taskId } of cells) if (!languages.has(taskId)) languages.set(taskId, '');
  return languages;
}

interface PlanParts {
  readonly cells: readonly Plan['cells'][number][];
  readonly settings: GroupSettings;
  readonly unattributed: number;
}

function planOf(sessions: readonly AttributedSession[], parts: PlanParts): Plan {
  const { cells, settings, unattributed } = parts;
  const suite = sessions[0]?.cell.suite ?? 'unknown';
  const request = {
    purpose: 'adhoc' as const,
    benchmark: benchmarkOf(suite),
    suite,
    skillruntime: sessions[0]?.skillruntime ?? 'unknown',
    tasks: [...languagesOf(sessions, [...cells])].map(([taskId, language]) => ({ taskId, language })),
    initStates: [...new Set(cells.map((cell) => cell.initStateId))],
    repeats: 1 + cells.reduce((most, { runIndex }) => Math.max(most, runIndex), 0),
    arms: ['candidate' as const],
    seed: 0,
    limits: settings.limits,
    targetConfig: settings.targetConfig,
    retryErrors: 0,
    timeoutsAs: 'error' as const,
    thresholds: NO_RULES,
    unattributed: unattributed === 0 ? undefined : unattributed,
  };
  return planOfCells(request, cells);
}

/** Nobody said beforehand what was to be shown. */
const NO_RULES: Thresholds = {
  minSuccessRate: null,
  minTaskSuccessRate: null,
  thresholdMode: 'point',
  maxRegression: 0.05,
  onInconclusive: 'pass',
};
