import type { EpisodeRecord, Outcome } from '../../../../src/model/episode-record.ts';
import type { Arm } from '../../../../src/model/plan.ts';
import type { Decision } from '../../../../src/model/verdict.ts';
import type { ReportInput } from '../../../../src/report/view/report-input.ts';
import { makeRecord } from '../../results/record-builder.ts';
import { makeReportInput } from '../report-builder.ts';

export const LANGUAGES: readonly string[] = [
  'pick up the black bowl between the plate and the ramekin and place it on the plate',
  'pick up the black bowl next to the ramekin and place it on the plate',
  'pick up the black bowl from table center and place it on the plate',
  'pick up the black bowl on the cookie box and place it on the plate',
  'pick up the black bowl in the top drawer of the wooden cabinet and place it on the plate',
  'pick up the black bowl on the ramekin and place it on the plate',
  'pick up the black bowl next to the cookie box and place it on the plate',
  'pick up the black bowl on the stove and place it on the plate',
  'pick up the black bowl next to the plate and place it on the plate',
  'pick up the black bowl on the wooden cabinet and place it on the plate',
];

export interface SampleShape {
  readonly tasks: number;
  readonly states: number;
  readonly repeats?: number;
  readonly arms?: readonly Arm[];
  /** Instruction of a task; LIBERO's by default. */
  readonly language?: (taskId: number) => string;
  readonly message?: string;
  readonly decision?: Decision;
}

/** A run as it looks in practice: most episodes succeed, one task is bad, some end in errors. Seeded, no clock. */
export function sampleRun(shape: SampleShape): ReportInput {
  const records = sampleRecords(shape);
  return makeReportInput({
    records,
    plan: { arms: [...(shape.arms ?? ['candidate'])], repeats: shape.repeats ?? 1 },
    run: {
      host: { gpu: 'NVIDIA RTX 4090', driver: '570.86', gpu_shared: false },
      runtime: { version: 'august', mujoco: '3.2.3' },
      fingerprint: { max_steps: 220, num_steps_wait: 10, camera: '256x256', seed: 7 },
      source: { repository: 'robots/policies', commit: '3f9c2d1a77b0', ref: 'refs/pull/41/merge' },
      phases: [
        { name: 'preconditions', ms: 2100 },
        { name: 'queue', ms: 3_481_000 },
        { name: 'seal', ms: 1400 },
      ],
      warnings: [],
    },
    input: { provisional: false, decision: shape.decision ?? FAILED },
  });
}

const FAILED: Decision = {
  verdict: 'FAIL',
  reasons: [
    {
      code: 'regression',
      text: 'The candidate is worse than main at 1a2b3c4 by 4.0 points (95 % −6.4 to −2.0), more than the 5.0 allowed on task 4.',
    },
    { code: 'task_floor_missed', text: 'Task 4 reaches 62.0%, below its floor of 80.0%.' },
  ],
  warnings: [
    { code: 'gpu_shared', text: 'Another process used the GPU during the run; timings are contended.' },
  ],
};

/** Numbers in [0, 1) that are the same everywhere. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function sampleRecords({
  tasks,
  states,
  repeats = 1,
  arms = ['candidate'],
  ...rest
}: SampleShape): EpisodeRecord[] {
  const next = chance(42);
  const records: EpisodeRecord[] = [];
  for (let taskId = 0; taskId < tasks; taskId += 1)
    for (let initStateId = 0; initStateId < states; initStateId += 1)
      for (let runIndex = 0; runIndex < repeats; runIndex += 1)
        for (const arm of arms) {
          const cell = { taskId, initStateId, runIndex, arm };
          const outcome = sampleOutcome(next(), taskId, arm);
          records.push(sampleRecord(cell, { outcome, position: records.length, next, ...rest }));
        }
  return records;
}

function sampleOutcome(dice: number, taskId: number, arm: Arm): Outcome {
  const bad = taskId % 10 === 4 && arm === 'candidate';
  if (dice < (bad ? 0.36 : 0.05)) return 'failure';
  if (dice > 0.995) return 'timed_out';
  if (dice > 0.985) return 'error';
  if (dice > 0.982) return 'not_run';
  return 'success';
}

interface Draw extends Pick<SampleShape, 'language' | 'message'> {
  readonly outcome: Outcome;
  readonly position: number;
  readonly next: () => number;
}

function sampleRecord(
  cell: Pick<EpisodeRecord, 'taskId' | 'initStateId' | 'runIndex' | 'arm'>,
  { outcome, position, next, language, message }: Draw,
): EpisodeRecord {
  const { taskId, initStateId, runIndex, arm } = cell;
  const text = language?.(taskId) ?? LANGUAGES[taskId % LANGUAGES.length] ?? 'a task';
  const failed = outcome === 'error' || outcome === 'timed_out';
  const sessionId = `rb-gh1744-bench-libero_spatial-t${String(taskId).padStart(2, '0')}-i${String(initStateId).padStart(3, '0')}-r${runIndex}-${arm}-a0`;
  return makeRecord(position, outcome, {
    ...cell,
    language: text,
    sessionId: outcome === 'not_run' ? null : sessionId,
    steps: outcome === 'success' ? 70 + Math.floor(next() * 60) : outcome === 'failure' ? 220 : null,
    policyLatencyMs: failed || outcome === 'not_run' ? null : 38 + next() * 9,
    durationMs: outcome === 'not_run' ? null : 5200 + next() * 4000,
    errorCode: outcome === 'error' ? 'POLICY_CONNECTION_LOST' : outcome === 'timed_out' ? 'TIMEOUT' : null,
    errorMessage: failed
      ? (message ?? 'policy server closed the connection (code 1011) after 41 calls')
      : null,
  });
}
