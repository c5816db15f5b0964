import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cellTargetWith } from '../../../src/queue/cell-target.ts';
import { sessionEntry } from '../../../src/queue/machine/session-entry.ts';
import { editTargetsText } from '../../../src/queue/targets-document.ts';
import { appendSessions, removeSessions } from '../../../src/workspace/session-edits.ts';
import { parseSessions } from '../../../src/workspace/sessions.ts';
import { parseTargets } from '../../../src/workspace/targets.ts';

const JULY = new URL('../../../fixtures/july/D01-policy-loop/', import.meta.url);
const text = (file: string): string => readFileSync(new URL(file, JULY), 'utf8');

const [base] = parseTargets(text('TARGETS.md')).document ?? [];
const cell = cellTargetWith(
  { id: base?.id ?? '', entry: base?.raw ?? {}, contract: {} },
  { ...base?.config, benchmark_name: 'libero_spatial', task_id: 3, init_state_id: 7 },
);
const session = sessionEntry({
  runId: 'run',
  sessionId: 'rb-run-t03-i007-r0-candidate-a0',
  cellTarget: cell.id,
  skillruntime: 'pi05_libero_remote',
  language: 'put the bowl on the plate',
  limits: {
    maxSteps: 220,
    settleSteps: 10,
    maxPolicyCalls: 220,
    replanEverySteps: 5,
    actionChunkMode: 'chunk_buffer',
    sessionTimeoutS: 1800,
    policyTimeoutS: 10,
  },
  policyEndpoint: 'openpi://127.0.0.1:8000',
  targetEndpoint: null,
});

describe('a run on a July host', () => {
  it('queues a plain session on a target of its own, which that runtime takes', () => {
    const targets = editTargetsText(text('TARGETS.md'), { add: [cell], remove: [] });
    const { document, problems } = parseTargets(targets);
    expect(problems).toEqual([]);
    expect(document?.[1]?.raw['benchmark_capabilities']).toEqual(base?.raw['benchmark_capabilities']);
    const queued = parseSessions(appendSessions(text('SESSIONS.after.md'), [session]).text);
    expect(queued.problems).toEqual([]);
    expect(queued.document).toMatchObject({ dialect: 'july' });
    expect(queued.document?.sessions.at(-1)?.raw).not.toHaveProperty('benchmark');
  });

  it('leaves every byte of the documents as it was', () => {
    const added = editTargetsText(text('TARGETS.md'), { add: [cell], remove: [] });
    expect(editTargetsText(added, { add: [], remove: [cell.id] })).toBe(text('TARGETS.md'));
    const queued = appendSessions(text('SESSIONS.after.md'), [session]);
    expect(queued.how).toBe('slices');
    expect(removeSessions(queued.text, [String(session['session_id'])]).text).toBe(text('SESSIONS.after.md'));
  });
});
