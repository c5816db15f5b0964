import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contractRef, hostFolder } from '../../../src/lane/host-folder.ts';

describe('the contract file of a cell target', () => {
  it('carries the id where that is a file name', () => {
    expect(contractRef('libero--rb-0123abcd')).toBe(
      'artifacts/rollout-bench/.host/contracts/libero--rb-0123abcd.runtime.yaml',
    );
  });

  it.each(['../../../x--rb-01234567', 'lab/arm--rb-01234567', '.hidden', 'a\nb', '目标 🤖', 'x'.repeat(300)])(
    'stays one short file in the contracts folder for any other id (%j)',
    (id) => {
      const file = path.join('/w', contractRef(id));
      expect(path.dirname(file)).toBe(hostFolder('/w').contracts);
      expect(Buffer.byteLength(path.basename(file))).toBeLessThan(100);
      expect(contractRef(id)).not.toBe(contractRef(`${id} `));
    },
  );
});
