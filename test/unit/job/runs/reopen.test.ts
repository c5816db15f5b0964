import { describe, expect, it } from 'vitest';
import { whyStays } from '../../../../src/job/runs/reopen.ts';
import { makeRecord } from '../../results/record-builder.ts';

const LOST = {
  errorCode: 'TARGET_PROTOCOL',
  errorMessage: 'target RPC target.close failed: Connection to remote host was lost.',
};
const LATE = { errorCode: 'POLICY_CONNECTION', errorMessage: 'policy inference websocket error: timed out' };
const INCOMPLETE = { code: 'incomplete', text: '2 of 4 planned episodes have no valid outcome.' };
const CHANGED = { code: 'policy_changed', text: 'The policy changed during the run.' };

describe('a sealed attempt', () => {
  const lost = [makeRecord(0, 'success'), makeRecord(1, 'error', LOST)];

  it('is opened again for connection errors of an INVALID run alone', () => {
    expect(whyStays({ verdict: 'INVALID', reasons: [INCOMPLETE] }, lost)).toBeNull();
    expect(whyStays({ verdict: 'FAIL', reasons: [] }, lost)).toContain('sealed and valid');
  });

  it('stays sealed when more episodes would not mend it', () => {
    const why = whyStays({ verdict: 'INVALID', reasons: [INCOMPLETE, CHANGED] }, lost);
    expect(why).toContain('The policy changed during the run');
  });

  it('stays sealed for what the policy or the episode did', () => {
    const slow = [makeRecord(0, 'error', LATE), makeRecord(1, 'timed_out', LOST), makeRecord(2, 'error')];
    expect(whyStays({ verdict: 'INVALID', reasons: [INCOMPLETE] }, slow)).toContain('none of its episodes');
  });
});
