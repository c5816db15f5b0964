import { MAX_CHANGES, MAX_NAMES, RUNTIME_EDITED, type Settlement } from '../../model/settlement-facts.ts';
import { equalValues } from '../../queue/equality.ts';
import { foreignChanges } from '../../queue/foreign-entries.ts';
import type { Entries, MeasuredHost, WorkspaceLook } from '../prepare/workspace-look.ts';

type Change = Settlement['changes'][number];

/** Holds the workspace after a run against what it was before. Pure. */
export function settlementBetween(
  host: MeasuredHost,
  before: WorkspaceLook,
  after: WorkspaceLook,
): Settlement {
  const foreign =
    before.sessions === null || after.sessions === null
      ? null
      : foreignChanges(before.sessions, after.sessions, (id) => before.ours.sessions.has(id));
  const measured = measuredChanges(host, before, after);
  const workspace = workspaceChanges(host, before, after);
  const others =
    foreign === null
      ? null
      : [
          ...change(
            'foreign',
            'finished entries in SESSIONS.md that say something else now',
            foreign.rewritten,
          ),
          ...change('foreign', 'entries gone from SESSIONS.md', foreign.disappeared),
          ...change('foreign', 'entries in SESSIONS.md set back to an earlier state', foreign.movedBack),
        ];
  const answer = (found: readonly Change[] | null): boolean | null =>
    found === null ? null : found.length === 0;
  return {
    measuredUnchanged: answer(measured),
    workspaceUnchanged: answer(workspace),
    foreignUnchanged: answer(others),
    foreignEntries: foreign?.compared ?? null,
    changes: [...(measured ?? []), ...(workspace ?? []), ...(others ?? [])].slice(0, MAX_CHANGES),
  };
}

/** Against what the run really used, which was read before its first write; null: not known. Pure. */
export function measuredChanges(
  { base, skillruntime }: MeasuredHost,
  before: WorkspaceLook,
  after: WorkspaceLook,
): Change[] | null {
  const skill = before.skillruntimes?.get(skillruntime);
  if (after.targets === null || after.skillruntimes === null || skill === undefined) return null;
  return [
    ...one('the entry of the target in TARGETS.md', equalValues(after.targets.get(base.id), base.entry)),
    ...one('the contract file of the target', equalValues(after.contract, base.contract)),
    ...one(
      'the entry of the skill runtime in SKILLRUNTIME.md',
      equalValues(after.skillruntimes.get(skillruntime), skill),
    ),
  ];
}

function one(what: string, isEqual: boolean): Change[] {
  return isEqual ? [] : [{ concerns: 'measured', what: `${what} is another one`, names: [] }];
}

function workspaceChanges(
  { base, skillruntime }: MeasuredHost,
  before: WorkspaceLook,
  after: WorkspaceLook,
): Change[] | null {
  if (before.targets === null || after.targets === null) return null;
  if (before.skillruntimes === null || after.skillruntimes === null) return null;
  const targets = changedEntries(before.targets, after.targets);
  const skills = changedEntries(before.skillruntimes, after.skillruntimes);
  return [
    ...change(
      'workspace',
      'other targets in TARGETS.md changed or gone',
      targets.filter((id) => id !== base.id && !before.ours.targets.has(id)),
    ),
    ...change(
      'workspace',
      'other skill runtimes in SKILLRUNTIME.md changed or gone',
      skills.filter((id) => id !== skillruntime),
    ),
    ...(before.runtimeMd === after.runtimeMd
      ? []
      : [{ concerns: 'workspace' as const, what: RUNTIME_EDITED, names: [] }]),
  ];
}

/** New ones change nothing that was there. */
function changedEntries(before: Entries, after: Entries): string[] {
  return [...before].filter(([id, entry]) => !equalValues(entry, after.get(id))).map(([id]) => id);
}

function change(concerns: Change['concerns'], what: string, names: readonly string[]): Change[] {
  if (names.length === 0) return [];
  return [{ concerns, what: `${what} (${names.length})`, names: names.slice(0, MAX_NAMES) }];
}

/** What to say aloud of a settlement; nothing when all stayed as it was. Names are for the host's own log. Pure. */
export function settlementWarnings({
  changes,
  foreignUnchanged,
  workspaceUnchanged,
  measuredUnchanged,
}: Settlement): string[] {
  const said = changes
    .filter(({ concerns }) => concerns !== 'measured')
    .map(({ what }) => `Somebody else edited the workspace during the run: ${what}.`);
  const unknown = [measuredUnchanged, workspaceUnchanged, foreignUnchanged].includes(null);
  if (!unknown) return said;
  return [
    ...said,
    'Whether the documents of the workspace stayed as they were during the run is not known: one of them could not be read.',
  ];
}
