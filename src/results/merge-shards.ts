import type { Problem } from '../errors/rb-error.ts';
import { mergedPins } from '../model/pins.ts';
import type { Results } from '../model/results.ts';
import type { RunFacts } from '../model/run-facts.ts';
import { mergedSettlement } from '../model/settlement-facts.ts';
import type { Reason } from '../model/verdict.ts';
import { buildRecords } from '../outcome/build-records.ts';
import { compareFingerprints } from '../verdict/fingerprint.ts';
import { aggregate } from './aggregate.ts';
import { mergedCaps } from './cap-facts.ts';
import { chooseParts } from './choose-parts.ts';
import type { Measurement, Part } from './measurement.ts';

interface Merged {
  readonly measurements: readonly Measurement[];
  readonly problems: readonly Problem[];
}

/**
 * Groups bundles by suite and puts the shards of each plan together; `chooseParts` says which bundles count. Pure; the
 * order of the parts cannot matter.
 */
export function mergeParts(parts: readonly Part[]): Merged {
  const problems: Problem[] = [];
  const measurements: Measurement[] = [];
  for (const [suite, group] of [...groupedBySuite(parts)].toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  )) {
    const chosen = chooseParts(suite, group);
    if ('code' in chosen) problems.push(chosen);
    else measurements.push({ ...mergeSuite(chosen.parts), notes: chosen.notes });
  }
  return { measurements, problems };
}

function groupedBySuite(parts: readonly Part[]): ReadonlyMap<string, Part[]> {
  const groups = new Map<string, Part[]>();
  for (const part of parts) groups.set(part.plan.suite, [...(groups.get(part.plan.suite) ?? []), part]);
  return groups;
}

function mergeSuite(parts: readonly Part[]): Measurement {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('a suite without parts');
  const { plan, planDigest } = first;
  if (others.length === 0 && first.run.positions === null) {
    return { ...first, parts, invalid: [] };
  }
  const byPosition = new Map(
    parts.flatMap(({ records }) => records.map((record) => [record.position, record])),
  );
  const records = buildRecords(plan, []).map((gap) => byPosition.get(gap.position) ?? gap);
  const run = mergedFacts(first, parts);
  const caps = mergedCaps(plan, parts);
  const results: Results = {
    ...aggregate({ plan, records, run, journal: [] }),
    time: mergedTime(parts),
    ...(caps === undefined ? {} : { caps }),
    end: parts.every(({ results: { end } }) => end?.kind === 'complete')
      ? { kind: 'complete', reason: null }
      : null,
  };
  const whole = { plan, planDigest, run, records, results, parts, invalid: differences(parts) };
  // A run in shards neither stops early nor holds cells out.
  return { ...whole, stopBaseline: null, heldOut: null };
}

function mergedFacts({ run }: Part, parts: readonly Part[]): RunFacts {
  const hosts = parts.map((part) => ({ shard: part.run.shard, ...part.run.host }));
  const {
    qualification,
    recording,
    approval,
    selection: _told,
    settlement: _own,
    pins: _pins,
    // Each shard counted its own.
    attempts: _attempts,
    ...common
  } = run;
  const pins = parts.flatMap((part) => (part.run.pins === undefined ? [] : [part.run.pins]));
  const settlement = mergedSettlement(parts.map((part) => part.run.settlement));
  // A measurement is as well founded as its weakest part.
  const qualified =
    qualification !== undefined && parts.every((part) => part.run.qualification !== undefined);
  const recorded = recording !== undefined && parts.every((part) => part.run.recording !== undefined);
  const approved = approval !== undefined && parts.every((part) => part.run.approval !== undefined);
  const waived = parts.find((part) => part.run.approval?.state === 'waived')?.run.approval;
  const selected = mostSelected(parts);
  return {
    ...common,
    evidenceClass: weakestClass(parts),
    ...(qualified ? { qualification } : {}),
    ...(recorded ? { recording } : {}),
    ...(approved ? { approval: waived ?? approval } : {}),
    ...(selected === undefined ? {} : { selection: selected }),
    ...(settlement === undefined ? {} : { settlement }),
    ...(pins.length < parts.length ? {} : { pins: mergedPins(pins) }),
    shard: null,
    positions: null,
    host: { shards: hosts },
    phases: [],
    warnings: [...new Set(parts.flatMap((part) => part.run.warnings))],
  };
}

/** All shards measure cells of one plan, so the one that was told most about its selection speaks for it. */
function mostSelected(parts: readonly Part[]): RunFacts['selection'] {
  const told = parts.flatMap(({ run }) => run.selection ?? []);
  return told.toSorted((left, right) => right.overlap - left.overlap)[0];
}

/** A measurement is as weak as its weakest part. */
function weakestClass(parts: readonly Part[]): RunFacts['evidenceClass'] {
  const classes = new Set(parts.map(({ run }) => run.evidenceClass));
  if (classes.has('imported')) return 'imported';
  return classes.has('unplanned') ? 'unplanned' : 'planned';
}

/** Shards run side by side: the slowest one is the wall time, the others' waits are what they were. */
function mergedTime(parts: readonly Part[]): Results['time'] {
  const greatest = (key: 'wallMs' | 'laneWaitMs' | 'foreignMs' | 'pausedMs'): number | null => {
    const known = parts.map(({ results }) => results.time[key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    wallMs: greatest('wallMs'),
    laneWaitMs: greatest('laneWaitMs'),
    foreignMs: greatest('foreignMs'),
    pausedMs: greatest('pausedMs'),
    ...yieldsOf(parts),
  };
}

/** Each shard lends the lane of its own host. */
function yieldsOf(parts: readonly Part[]): Pick<Results['time'], 'yields' | 'yieldedMs'> {
  const lent = parts.map(({ results }) => results.time).filter(({ yields }) => yields !== undefined);
  if (lent.length === 0) return {};
  return {
    yields: lent.reduce((sum, { yields = 0 }) => sum + yields, 0),
    yieldedMs: Math.max(...lent.map(({ yieldedMs = 0 }) => yieldedMs)),
  };
}

/** What must be the same on every host: whatever changes a score, and the policy that answered. */
function differences(parts: readonly Part[]): Reason[] {
  const [first, ...others] = parts;
  const found = new Set<string>();
  for (const other of others) {
    if (first === undefined) break;
    for (const field of compareFingerprints(first.run.fingerprint, other.run.fingerprint).differing)
      found.add(field);
    if (policyOf(first) !== policyOf(other)) found.add('policy');
  }
  if (found.size === 0) return [];
  return [
    {
      code: 'shards_differ',
      text: `The shards differ in ${[...found].toSorted().join(', ')}: their episodes do not measure the same thing.`,
    },
  ];
}

function policyOf({ run }: Part): string {
  return JSON.stringify(
    run.arms.map(({ arm, policyRef, checkpointDigest }) => [arm, policyRef, checkpointDigest]),
  );
}
