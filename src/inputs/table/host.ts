import type { Caps } from '../../model/caps.ts';
import * as kinds from './kinds.ts';
import { parts } from './parts.ts';
import { input } from './row.ts';

/** `no` reads as false for those who write YAML 1.1, and means the same. */
const keepSessions = kinds.kind('no, end or always', (text) => {
  if (text === 'no' || text === 'false') return 'no' as const;
  if (text === 'end' || text === 'always') return text;
  return new kinds.Wrong('must be no, end or always');
});

const shard = kinds.kind('i/n', (text) => {
  const match = /^([1-9][0-9]{0,2})\/([1-9][0-9]{0,2})$/.exec(text);
  const index = Number(match?.[1]);
  const count = Number(match?.[2]);
  return match !== null && index <= count
    ? { index, count }
    : new kinds.Wrong('must be i/n with 1 ≤ i ≤ n ≤ 999');
});

const windowSize = kinds.int(1, 100);
const queueWindow = kinds.kind('integer or auto', (text) =>
  text === 'auto' ? ('auto' as const) : windowSize.parse(text),
);

const purposes = kinds.choices(['pr', 'release', 'adhoc']);
/** Empty for `none`. */
const yieldTo = kinds.kind(
  'none or purposes',
  (text) => (text === 'none' ? ([] as const) : purposes.parse(text)),
  true,
);

const capParts = parts({
  sessions: kinds.int(1, 1_000_000),
  'wall-time': kinds.duration(1),
  'artifact-size': kinds.byteSize,
});

const caps: kinds.Kind<Caps> = {
  ...capParts,
  parse: (text) => {
    const found = capParts.parse(text);
    if (found instanceof kinds.Wrong) return found;
    const { sessions, 'wall-time': wallTime, 'artifact-size': artifactSize } = found;
    return {
      ...(sessions === undefined ? {} : { maxSessions: sessions }),
      ...(wallTime === undefined ? {} : { maxWallTimeS: wallTime }),
      ...(artifactSize === undefined ? {} : { maxArtifactBytes: artifactSize }),
    };
  },
};

/** How the run behaves on the simulation host. */
export const HOST_INPUTS = {
  'session-timeout': input(kinds.duration(1), {
    key: 'sessionTimeoutS',
    default: '1800',
    description: 'Wall-clock time of one episode, enforced by the runtime.',
    example: '30m',
  }),
  'run-timeout': input(kinds.duration(1), {
    key: 'runTimeoutS',
    level: 'input',
    default: null,
    otherwise: 'no limit',
    description:
      'Wall-clock time of one attempt of the run. At its end the run keeps what is finished and ends incomplete; a resume has this time again.',
    example: '12h',
  }),
  caps: input(caps, {
    key: 'caps',
    level: 'input',
    default: null,
    otherwise: 'no cap',
    description:
      'What a run may take at most, over all its attempts: `sessions`, those that are tried again included (a plan with more episodes is refused); `wall-time`, without that of other sessions (`run-timeout` bounds one attempt instead); `artifact-size`, what its sessions may leave in artifacts/runtime and in the bundle, for which they are queued one at a time. At a cap the run keeps what is finished and ends incomplete; the running session may end.',
    example: 'sessions=120, wall-time=6h, artifact-size=2GB',
  }),
  'stall-timeout': input(kinds.duration(1), {
    key: 'stallTimeoutS',
    default: '600',
    description:
      'How long nothing may happen while no session runs. Time of foreign sessions does not count.',
    example: '15m',
  }),
  'host-wait': input(kinds.duration(0), {
    key: 'hostWaitS',
    default: '900',
    description: 'How long to wait for target or policy to come back, once one of them does not answer.',
    example: '15m',
  }),
  'lane-wait': input(kinds.duration(0), {
    key: 'laneWaitS',
    default: '600',
    description: 'How long to wait for another benchmark on this host to end.',
    example: '2h',
  }),
  'yield-to': input(yieldTo, {
    key: 'yieldTo',
    default: null,
    otherwise: '`pr` for a scheduled run, `none` for any other',
    description:
      'Purposes of waiting runs that get the host between two episodes of this one: `pr`, `release`, `adhoc`, or `none`. Only a higher purpose passes: schedule, adhoc, pr, release, from low to high. The run goes on right after them.',
    example: 'pr, release',
    modes: ['run', 'all'],
  }),
  'queue-window': input(queueWindow, {
    key: 'queueWindow',
    default: '2',
    description:
      'How many of our sessions may be pending or running at once; `auto` follows the simulators of `rollout-bench host`.',
    example: '2',
  }),
  'retry-errors': input(kinds.int(0, 10), {
    key: 'retryErrors',
    default: '1',
    description:
      'How often an episode is run again after an infrastructure error. Policy failures are never run again.',
    example: '2',
  }),
  'max-consecutive-errors': input(kinds.int(1, 1000), {
    key: 'maxConsecutiveErrors',
    default: '3',
    description:
      'Infrastructure errors in a row after which nothing is queued until target and policy answer again. One connection error is enough.',
    example: '5',
  }),
  'timeouts-as': input(kinds.choice(['error', 'failure']), {
    key: 'timeoutsAs',
    default: 'error',
    description:
      'Whether an episode that ran out of wall-clock time is an error of the host or a failure of the policy.',
    example: 'failure',
  }),
  'keep-sessions': input(keepSessions, {
    key: 'keepSessions',
    default: 'no',
    description:
      'Whether our finished entries stay in SESSIONS.md: `no`, put back at the `end`, or `always`, which slows every later session.',
    example: 'end',
  }),
  'keep-runs': input(kinds.int(1, 100_000), {
    key: 'keepRuns',
    default: '20',
    description:
      'How many sealed runs of a purpose keep their raw evidence on the host. Of older ones it is removed after a run of the same purpose; numbers and reports stay.',
    example: '100',
    modes: ['run', 'all'],
  }),
  shard: input(shard, {
    key: 'shard',
    level: 'input',
    default: null,
    otherwise: 'the whole plan',
    description:
      'Which part of the plan this host runs, for a matrix of simulation hosts; `mode: report` puts the parts together.',
    example: '1/2',
  }),
  resume: input(kinds.text('run id', 120, { regex: /^[A-Za-z0-9_-]+$/, why: 'must be a run id' }), {
    key: 'resume',
    level: 'input',
    default: null,
    otherwise: 'a re-run of the same job resumes by itself',
    description: 'Run id whose finished episodes are kept; plan, commit and policy must be the same.',
    example: '20261129T160612Z-libero_spatial-3f9a',
  }),
};
