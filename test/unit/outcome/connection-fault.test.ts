import { describe, expect, it } from 'vitest';
import { type ConnectionFault, connectionFault } from '../../../src/outcome/connection-fault.ts';

/** Texts of the runtime's own clients, as recorded sessions and its websocket library have them. */
const TEXTS: readonly (readonly [ConnectionFault | null, string, string])[] = [
  [
    'refused',
    'TARGET_CONNECTION',
    'failed to connect target endpoint targetws://h:9: [Errno 111] Connection refused',
  ],
  [
    'refused',
    'TARGET_CONNECTION',
    'failed to connect target endpoint targetws://h:9: [Errno -2] Name or service not known',
  ],
  ['late', 'TARGET_CONNECTION', 'failed to connect target endpoint targetws://h:9: Connection timed out'],
  [null, 'TARGET_CONNECTION', 'websocket-client is required for targetws:// endpoints'],
  [
    'refused',
    'POLICY_CONNECTION',
    'failed to connect to policy server ws://h:9: [Errno 111] Connection refused',
  ],
  [
    'refused',
    'POLICY_CONNECTION',
    'failed to connect to policy server ws://h:9: Handshake status 502 Bad Gateway',
  ],
  ['late', 'POLICY_CONNECTION', 'failed to connect to policy server ws://h:9: Connection timed out'],
  ['late', 'POLICY_CONNECTION', 'policy inference websocket error: timed out'],
  ['lost', 'POLICY_CONNECTION', 'policy inference websocket error: Connection to remote host was lost.'],
  [null, 'POLICY_CONNECTION', 'unsupported policy endpoint: http://h'],
  ['lost', 'POLICY_PROTOCOL', 'policy server returned text error: '],
  ['lost', 'POLICY_PROTOCOL', 'policy server returned text metadata:'],
  [null, 'POLICY_PROTOCOL', 'policy server returned text error: Traceback: boom'],
  ['lost', 'TARGET_PROTOCOL', 'target RPC target.close failed: Connection to remote host was lost.'],
  ['lost', 'TARGET_PROTOCOL', 'target RPC target.action_chunk failed: [Errno 104] Connection reset by peer'],
  ['lost', 'TARGET_PROTOCOL', 'target RPC target.action_chunk failed: [Errno 32] Broken pipe'],
  ['lost', 'TARGET_PROTOCOL', "target RPC target.reset failed: a bytes-like object is required, not 'str'"],
  ['late', 'TARGET_PROTOCOL', 'target RPC target.close failed: Connection timed out'],
  [
    'late',
    'TARGET_PROTOCOL',
    "target RPC target.close returned mismatched response: type 'target.reset' != 'target.close', seq 3 != 4",
  ],
  [null, 'TARGET_PROTOCOL', "AttributeError: 'NoneType' object has no attribute 'step'"],
  [null, 'TARGET_PROTOCOL', 'IndexError: index 50 is out of bounds for axis 0 with size 50'],
  [null, 'ADAPTER', 'actions contain NaN or Inf'],
];

describe('connectionFault', () => {
  it.each(TEXTS)('%s: %s %s', (fault, errorCode, errorMessage) => {
    expect(connectionFault({ outcome: 'error', errorCode, errorMessage })).toBe(fault);
    // Whatever the text says: an episode that was timed out was measured.
    expect(connectionFault({ outcome: 'timed_out', errorCode, errorMessage })).toBeNull();
  });
});
