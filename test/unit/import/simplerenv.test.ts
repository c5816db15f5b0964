import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { namedVideo } from '../../../src/import/formats/simplerenv/video-name.ts';
import { countsOf, readSample } from './read-sample.ts';

const root = mkdtempSync(join(tmpdir(), 'rb-simpler-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

const ROBOT = 'rob_0.35_0.2_rot_0.000_-0.000_3.142_rgb_overlay_None';
const ENV = 'scene/arm/GraspSingleOpenedCokeCanInScene-v0';

/** A folder with empty files of these names. */
function folder(names: readonly string[]): string {
  folders += 1;
  const base = join(root, String(folders));
  for (const name of names) {
    mkdirSync(dirname(join(base, name)), { recursive: true });
    writeFileSync(join(base, name), '');
  }
  return base;
}

describe('videos of SimplerEnv', () => {
  it('are counted by their names alone', async () => {
    const { format, records, suites } = await readSample('simplerenv');
    expect(format).toBe('simplerenv');
    expect(countsOf(records)).toEqual({ success: 2, failure: 1 });
    expect(suites[0]?.plan.suite).toBe('GraspSingleOpenedCokeCanInScene-v0');
  });

  it('tell episodes by their ids where all have one', async () => {
    const { records, suites } = await readSample(
      folder([
        `c/${ENV}/${ROBOT}/success_obj_episode_7.mp4`,
        `c/${ENV}/${ROBOT}/failure_obj_episode_9_a_b.mp4`,
      ]),
    );
    expect(records.map(({ initStateId, outcome }) => [initStateId, outcome])).toEqual([
      [7, 'success'],
      [9, 'failure'],
    ]);
    expect(suites[0]?.plan.cellsBy).toBe('scenario');
  });

  it.each([
    ['another outcome', ['success_obj_episode_7.mp4', 'failure_obj_episode_7.mp4']],
    ['another statistic', ['success_obj_episode_7.mp4', 'success_obj_episode_7_moved_True.mp4']],
    [
      'a place that was printed otherwise',
      ['success_obj_0.3_0.02.mp4', 'failure_obj_0.30000000000000004_0.02.mp4'],
    ],
  ])('of an episode that ran again are refused, with both names: %s', async (_, names) => {
    const { problems } = await readSample(folder(names.map((name) => `c/${ENV}/${ROBOT}/${name}`)));
    expect(problems).toMatchObject([{ code: 'RB902' }]);
    expect(problems[0]?.message).toContain('ran again');
  });

  it('of two checkpoints are not put together', async () => {
    const { problems } = await readSample(
      folder(['a', 'b'].map((name) => `${name}/${ENV}/${ROBOT}/success_obj_episode_7.mp4`)),
    );
    expect(problems[0]?.message).toContain('2 checkpoints');
  });

  it('variants are tasks, so that their mean is the published figure', async () => {
    const { records } = await readSample(
      folder([
        `c/${ENV}/${ROBOT}/success_obj_episode_0.mp4`,
        `c/${ENV}_lr_switch_True/${ROBOT}/failure_obj_episode_0.mp4`,
      ]),
    );
    expect(new Set(records.map(({ taskId }) => taskId)).size).toBe(2);
    expect(new Set(records.map(({ suite }) => suite)).size).toBe(1);
  });

  it('other names are no evidence', () => {
    for (const name of [
      'success_obj_episode_1.mp4',
      `x/${ROBOT}/success.mp4`,
      `e/${ROBOT}/success_obj_..mp4`,
    ])
      expect(namedVideo(name)).toBeNull();
  });
});
