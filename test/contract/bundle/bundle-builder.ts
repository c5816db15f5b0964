import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalDigest } from '../../../src/base/canonical-json.ts';
import { chainLine, FIRST_TIP } from '../../../src/journal/chain.ts';
import type { ArchivedFile, JournalEvent } from '../../../src/model/journal-events.ts';
import { PLAN_SCHEMA_ID, type Plan } from '../../../src/model/plan.ts';
import { RUN_SCHEMA_ID, type RunFacts } from '../../../src/model/run-facts.ts';
import { fateOf, type SyntheticSession, syntheticSession } from './session-documents.ts';

const STATES = 50;

/** A plan of `count` cells over tasks of 50 initial states each. */
export function planOf(count: number): Plan {
  const tasks = Math.ceil(count / STATES);
  const cells = Array.from({ length: count }, (_, at) => ({
    taskId: Math.floor(at / STATES),
    initStateId: at % STATES,
    runIndex: 0,
    arm: 'candidate' as const,
  }));
  return {
    schema: PLAN_SCHEMA_ID,
    purpose: 'adhoc',
    benchmark: 'libero',
    suite: 'libero_spatial',
    skillruntime: 'pi05_libero_remote',
    tasks: Array.from({ length: tasks }, (_, taskId) => ({ taskId, language: `pick up bowl ${taskId}` })),
    initStates: Array.from({ length: Math.min(count, STATES) }, (_, at) => at),
    repeats: 1,
    arms: ['candidate'],
    order: { scheme: 'interleaved', seed: 1 },
    cells,
    limits: {
      maxSteps: 220,
      settleSteps: 10,
      maxPolicyCalls: 220,
      replanEverySteps: 5,
      actionChunkMode: 'chunk_buffer',
      sessionTimeoutS: 1800,
      policyTimeoutS: 30,
    },
    targetConfig: { camera_height: 256 },
    retryErrors: 1,
    timeoutsAs: 'error',
    thresholds: {
      minSuccessRate: null,
      minTaskSuccessRate: null,
      thresholdMode: 'point',
      maxRegression: 0.05,
      onInconclusive: 'pass',
    },
  };
}

export function runFactsOf(plan: Plan, runId = 'r1'): RunFacts {
  return {
    schema: RUN_SCHEMA_ID,
    runId,
    attempt: 1,
    planDigest: canonicalDigest(plan),
    evidenceClass: 'planned',
    tool: { version: '0.1.0', distHash: null },
    startedAt: '2026-11-29T13:00:00.000Z',
    sealedAt: '2026-11-29T14:00:00.000Z',
    shard: null,
    positions: null,
    target: { id: 'libero_real_remote', endpoint: 'targetws://10.1.2.3:8765', kind: 'simulation' },
    arms: [
      {
        arm: 'candidate',
        endpoint: 'openpi://10.1.2.4:8000',
        policyRef: 'pi05',
        checkpointDigest: null,
        imageDigest: null,
        metadataBefore: { checkpoint: '/srv/models/pi05/step_30000' },
        metadataAfter: null,
        changed: null,
      },
    ],
    discovery: { method: 'describe', note: null },
    runtime: { version: 'august' },
    host: { name: 'gpu-box-7', gpu: 'RTX 6000' },
    fingerprint: { max_steps: 220 },
    source: { commit: 'deadbeef' },
    phases: [{ name: 'queue', ms: 1 }],
    warnings: [],
  };
}

/** Writes journal.jsonl and raw/ of a finished run of `plan` into a new folder. */
export function writeAttempt(bundleDir: string, plan: Plan, runId = 'r1', fates = fateOf): void {
  mkdirSync(bundleDir, { recursive: true });
  const events: JournalEvent[] = [
    {
      type: 'started',
      schema: 'rollout-bench/journal/1',
      runId,
      attempt: 1,
      planDigest: canonicalDigest(plan),
      suite: plan.suite,
      resumes: [],
      identity: {},
    },
    { type: 'lane', waitedMs: 5, holder: null },
  ];
  plan.cells.forEach((cell, position) => {
    const sessionId = `rb-${runId}-t${String(cell.taskId).padStart(2, '0')}-i${String(cell.initStateId).padStart(3, '0')}-r0-candidate-a0`;
    events.push({
      type: 'intent',
      sessionId,
      position,
      sessionAttempt: 0,
      cellTarget: 't--rb-00000000',
      cell,
    });
    const files = writeRaw(
      bundleDir,
      sessionId,
      syntheticSession(plan, position, sessionId, fates(position)),
    );
    const names = new Set(files.map((file) => file.name));
    events.push({
      type: 'collected',
      sessionId,
      outcome: fates(position),
      errorCode: null,
      errorMessage: null,
      files,
      omitted: ['log.yaml', 'episode.json']
        .filter((name) => !names.has(name))
        .map((name) => ({ name, reason: 'absent' })),
      startedAt: '2026-11-29T13:00:00.000Z',
      finishedAt: '2026-11-29T13:00:09.000Z',
      durationMs: 9000,
    });
  });
  events.push({ type: 'ended', end: 'complete', reason: null, foreignMs: 0, pausedMs: 0, totalMs: 60_000 });
  writeFileSync(join(bundleDir, 'journal.jsonl'), journalText(events));
}

export function journalText(events: readonly JournalEvent[]): string {
  let tip = FIRST_TIP;
  const lines: string[] = [];
  for (const event of events) {
    const next = chainLine(tip, '2026-11-29T13:00:00.000Z', event);
    lines.push(`${next.line}\n`);
    tip = next.tip;
  }
  return lines.join('');
}

function writeRaw(bundleDir: string, sessionId: string, documents: SyntheticSession): ArchivedFile[] {
  const folder = join(bundleDir, 'raw', sessionId);
  mkdirSync(folder, { recursive: true });
  const contents = {
    'episode.json': documents.episode,
    'log.yaml': documents.log,
    'session.yaml': documents.session,
  };
  return Object.entries(contents).flatMap(([name, text]) => {
    if (text === null) return [];
    writeFileSync(join(folder, name), text);
    return [
      { name, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
    ];
  });
}

/** A workspace in which a colleague ran the plan's cells as sessions s0, s1, …; one more is still pending. */
export function writeWorkspace(workspace: string, plan: Plan, goal = 'a colleague'): void {
  const entries: string[] = [];
  const logs: string[] = [];
  plan.cells.forEach((_, position) => {
    const id = `s${position}`;
    const { session, log, episode } = syntheticSession(plan, position, id);
    entries.push(session.replace('rollout-bench:r1', goal));
    if (log !== null) logs.push(log.replace(/^(?=.)/gm, '  '));
    if (episode === null) return;
    mkdirSync(join(workspace, 'artifacts', 'runtime', id), { recursive: true });
    writeFileSync(join(workspace, 'artifacts', 'runtime', id, 'episode.json'), episode);
  });
  entries.push('- session_id: waiting\n  target_ref: target://t\n  status: pending\n  result: {}\n');
  const fenced = (title: string, body: string): string => `# ${title}\n\n\`\`\`yaml\n${body}\`\`\`\n`;
  writeFileSync(
    join(workspace, 'SESSIONS.md'),
    fenced('Runtime Sessions', `version: runtime_sessions_v1\nsessions:\n${entries.join('')}`),
  );
  writeFileSync(
    join(workspace, 'LOG.md'),
    fenced('Log', `version: runtime_session_history_v1\nsessions:\n${logs.join('')}last_session_id: s1\n`),
  );
}
