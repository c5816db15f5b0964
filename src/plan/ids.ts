import { canonicalDigest } from '../base/canonical-json.ts';
import type { Cell } from '../model/plan.ts';
import { documentDigest } from './document-digest.ts';

/** Hex digits of a config's digest in the id of a cell target. */
const TARGET_HASH_DIGITS = 8;
/** Run ids name folders and begin session ids, so they stay short enough for any file system. */
const RUN_ID_MAX = 120;

/** Text reduced to the letters, digits, `_` and `-` that ids may hold. */
export function idSlug(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');
}

type RunIdRequest =
  | {
      readonly kind: 'github';
      readonly githubRunId: string;
      readonly job: string;
      readonly suite: string;
      readonly shard?: string;
    }
  | {
      readonly kind: 'cli';
      /** Milliseconds since 1970. */
      readonly nowMs: number;
      readonly suite: string;
      /** Four or more random hex digits from the caller. */
      readonly randomHex: string;
    };

/**
 * `gh<GITHUB_RUN_ID>-<job>-<suite>[-<shard>]` in a workflow, `<UTC stamp>-<suite>-<4 hex>` on the command line.
 * A re-run of a workflow job has the same id, which is how it finds what it finished before.
 */
export function runId(request: RunIdRequest): string {
  const parts =
    request.kind === 'github'
      ? [`gh${request.githubRunId}`, request.job, suiteSlug(request.suite), request.shard ?? '']
      : [utcStamp(request.nowMs), suiteSlug(request.suite), request.randomHex.slice(0, 4)];
  return shortened(
    parts
      .map(idSlug)
      .filter((part) => part !== '')
      .join('-'),
  );
}

/** A suite whose name cannot stand in an id keeps a hash of it, so that two suites of one job never share a run. */
function suiteSlug(suite: string): string {
  const slug = idSlug(suite);
  return slug === suite ? suite : `${slug}-${canonicalDigest(suite).slice(0, TARGET_HASH_DIGITS)}`;
}

/** A cut id keeps a hash of the whole, so that two long names never meet. */
function shortened(id: string): string {
  if (id.length <= RUN_ID_MAX) return id;
  const hash = canonicalDigest(id).slice(0, TARGET_HASH_DIGITS);
  return `${id.slice(0, RUN_ID_MAX - TARGET_HASH_DIGITS - 1)}-${hash}`;
}

/** `20261129T160612Z` */
function utcStamp(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/**
 * `rb-<run id>-t03-i007-r0-<arm>-a<attempt>`: the id of the session that executes a cell. It starts with a letter
 * because a reader that follows other YAML rules than the writer may take digits for a number.
 * @param attempt counts the sessions of one cell, from 0; an id is never used twice.
 */
export function sessionId(run: string, cell: Cell, attempt: number): string {
  const task = String(cell.taskId).padStart(2, '0');
  const initState = String(cell.initStateId).padStart(3, '0');
  return `rb-${idSlug(run)}-t${task}-i${initState}-r${cell.runIndex}-${cell.arm}-a${attempt}`;
}

/**
 * `rb-<run id>-h07-r0-<arm>-a<attempt>`: the same for a held-out cell, whose task and initial state no id may tell.
 * @param number of the cell among the held-out ones (`maskedNumbers`).
 */
export function heldOutSessionId(
  run: string,
  cell: Pick<Cell, 'runIndex' | 'arm'> & { readonly number: number },
  attempt: number,
): string {
  const number = String(cell.number).padStart(2, '0');
  return `rb-${idSlug(run)}-h${number}-r${cell.runIndex}-${cell.arm}-a${attempt}`;
}

/** Whether an id is one that `heldOutSessionId` makes. */
export function isHeldOutSession(id: string | null): boolean {
  return id !== null && /^rb-.+-heldout-h\d{2,}-r\d+-(?:candidate|baseline)-a\d+$/.test(id);
}

/** The mark of ownership that each of our sessions carries in `goal_id`. */
export function goalId(run: string): string {
  return `rollout-bench:${run}`;
}

const CELL_TARGET = new RegExp(`--rb-[0-9a-f]{${TARGET_HASH_DIGITS}}$`);
const CELL_TARGETS = new RegExp(`--rb-[0-9a-f]{${TARGET_HASH_DIGITS}}`, 'g');

/** Is this the id of a cell target of ours? A crashed run's left-overs are, too, and never what a user means. */
export function isCellTarget(id: string): boolean {
  return CELL_TARGET.test(id);
}

/** The text without the digests in ids of cell targets: they are short enough for a config to be found by trying. */
export function withoutCellTargets(text: string): string {
  return text.replaceAll(CELL_TARGETS, '--rb-heldout');
}

/**
 * `<target>--rb-<8 hex of its config>`: because the id names the config, an older TARGETS.md saved over ours leads
 * to an unknown target, never to another task.
 */
export function cellTargetId(targetId: string, config: Readonly<Record<string, unknown>>): string {
  return `${targetId}--rb-${documentDigest(config).slice(0, TARGET_HASH_DIGITS)}`;
}
