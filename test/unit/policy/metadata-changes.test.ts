import { expect, it } from 'vitest';
import { metadataChanges } from '../../../src/policy/metadata-changes.ts';

it('a replaced policy is told by the entries that differ', () => {
  const before = { backend: 'rig_stub', version: 1, same: { a: 1 }, gone: true, pid: 3 };
  const now = { backend: 'rig_stub_v2', version: 2, same: { a: 1 }, pid: 4 };
  expect(metadataChanges(before, now, ['pid'])).toEqual([
    'backend was rig_stub, now rig_stub_v2',
    'gone was true, now absent',
    'version was 1, now 2',
  ]);
});

it('nothing but plain words is shown, and of many entries the first', () => {
  expect(metadataChanges({ path: '/srv/a', 'a\nb': 1 }, { path: '/srv/b', 'a\nb': 2 })).toEqual([
    'an entry was 1, now 2',
    'path differs',
  ]);
  expect(metadataChanges({ config: { a: 1 } }, { config: { a: 2 } })).toEqual(['config differs']);
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, at]));
  expect(metadataChanges({}, many)).toHaveLength(5);
  expect(metadataChanges({}, many).at(-1)).toBe('and 5 more');
});
