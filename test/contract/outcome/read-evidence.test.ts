import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classify } from '../../../src/outcome/classify.ts';
import { readArchivedEvidence } from '../../../src/outcome/read-archive.ts';
import { MAX_EPISODE_BYTES, readEvidence } from '../../../src/outcome/read-evidence.ts';

const LOG = `# Runtime Session History

\`\`\`yaml
version: runtime_session_history_v1
sessions:
  s1:
    session_id: s1
    status: timed_out
    success: false
    error_code: EXECUTION_TIMEOUT
    error_message: session exceeded execute_timeout_s=2.0
\`\`\`
`;

const LATE = {
  session_id: 's1',
  status: 'failed',
  result: {
    status: 'failed',
    success: false,
    error_code: 'RUNTIME_ERROR',
    error_message: "Unable to serialize unknown type: <class 'numpy.ndarray'>",
  },
};

let workspace: string;
let folder: string;
let file: string;

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'rb-evidence-'));
  folder = join(workspace, 'artifacts', 'runtime', 's1');
  file = join(folder, 'episode.json');
  await mkdir(folder, { recursive: true });
  await writeFile(join(workspace, 'LOG.md'), LOG);
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

/** What the runtime writes for a late timeout with two 256 x 256 cameras: every pixel as a number on its own line. */
function lateTimeoutJson(): string {
  const image = Array.from({ length: 256 }, () => Array.from({ length: 256 }, () => [0, 127, 255]));
  const obs = { image, wrist_image: image };
  const snapshot = { last_heartbeat_ns: 1, elapsed_s: Number.NaN, last_status: { obs } };
  const value = {
    session_id: 's1',
    status: 'timed_out',
    benchmark: null,
    metadata: { runner_snapshot: snapshot },
  };
  return JSON.stringify(value, null, 2).replace('"elapsed_s": null', '"elapsed_s": NaN');
}

describe('readEvidence', () => {
  it('reads a late timeout of full camera size, NaN included, as a timeout', async () => {
    const text = lateTimeoutJson();
    expect(text.length).toBeGreaterThan(12_000_000);
    await writeFile(file, text);
    const evidence = await readEvidence(workspace, 's1', LATE);
    expect(evidence.episode.state).toBe('present');
    expect(classify({ verifier: null, plan: null, cell: null, evidence }).outcome).toBe('timed_out');
    expect(evidence.logText).toMatch(/^s1:\n {2}session_id: s1\n/);
  });

  it('says absent when nothing is there', async () => {
    const evidence = await readEvidence(workspace, 'other', null);
    expect(evidence).toMatchObject({ session: null, log: null, logText: null, episode: { state: 'absent' } });
  });

  it.each(['episode.json', 's1', 'runtime', 'artifacts'])('follows no link: %s', async (which) => {
    const outside = await mkdtemp(join(tmpdir(), 'rb-outside-'));
    const real = join(outside, 'artifacts', 'runtime', 's1');
    await mkdir(real, { recursive: true });
    await writeFile(join(real, 'episode.json'), '{"session_id": "s1"}');
    const tail = ['artifacts', 'runtime', 's1', 'episode.json'];
    const parts = tail.slice(0, tail.indexOf(which) + 1);
    await rm(join(workspace, ...parts), { recursive: true, force: true });
    await symlink(join(outside, ...parts), join(workspace, ...parts));
    const evidence = await readEvidence(workspace, 's1', LATE);
    expect(evidence.episode).toEqual({ state: 'unreadable', reason: `${parts.join('/')} is a link` });
    await rm(outside, { recursive: true, force: true });
  });

  it.each(['..', '.', '', 'a/b', 'a\0b'])('takes no id that is a path: %j', async (id) => {
    await writeFile(file, '{}');
    expect((await readEvidence(workspace, id, null)).episode.state).toBe('unreadable');
  });

  it('reads nothing above the cap', async () => {
    await writeFile(file, '');
    await truncate(file, MAX_EPISODE_BYTES + 1);
    const { episode } = await readEvidence(workspace, 's1', LATE);
    expect(episode).toMatchObject({ state: 'unreadable', reason: expect.stringContaining('larger than') });
  });

  it.each(['', '{', '{"a": nan}'])('says when it is not JSON: %j', async (text) => {
    await writeFile(file, text);
    expect((await readEvidence(workspace, 's1', LATE)).episode).toEqual({
      state: 'unreadable',
      reason: 'it is not JSON',
    });
  });

  it('says when a folder stands in its place', async () => {
    await mkdir(file);
    expect((await readEvidence(workspace, 's1', LATE)).episode).toMatchObject({
      reason: 'it is not a plain file',
    });
  });
});

describe('readArchivedEvidence', () => {
  it('gives back what was archived, list-shaped entries included', async () => {
    const raw = join(workspace, 'raw', 's1');
    await mkdir(raw, { recursive: true });
    await writeFile(join(raw, 'session.yaml'), '- session_id: s1\n  status: failed\n');
    await writeFile(join(raw, 'log.yaml'), 's1:\n  status: timed_out\n');
    const reason = 'it is larger than 9 bytes';
    expect(await readArchivedEvidence(workspace, 's1', [{ name: 'episode.json', reason }])).toEqual({
      sessionId: 's1',
      session: { session_id: 's1', status: 'failed' },
      log: { status: 'timed_out' },
      episode: { state: 'unreadable', reason },
    });
    const absent = await readArchivedEvidence(workspace, 's1', [{ name: 'episode.json', reason: 'absent' }]);
    expect(absent.episode).toEqual({ state: 'absent' });
  });
});
