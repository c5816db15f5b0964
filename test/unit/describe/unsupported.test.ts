import { describe, expect, it } from 'vitest';
import { isUnsupported } from '../../../src/describe/client.ts';

describe('an answer that means "I cannot describe"', () => {
  it.each([
    ['TargetProtocolError', 'unsupported target RPC type: target.describe'],
    ['TargetProtocolError', 'Unsupported message type'],
    ['ValueError', 'unsupported runtime RPC type: target.describe'],
    ['UNSUPPORTED_MESSAGE', 'no'],
    ['UnsupportedMessageType', 'target.describe'],
    ['TARGET_RPC_ERROR', 'unknown message type "target.describe"'],
    ['TARGET_RPC_ERROR', 'unknown type: target.describe'],
    ['TARGET_RPC_ERROR', "message type 'target.describe' is not supported"],
    ['TARGET_RPC_ERROR', 'Message type not recognized'],
    ['BAD_REQUEST', 'no handler for target.describe'],
    ['BAD_REQUEST', 'Unknown command describe'],
    ['BAD_REQUEST', 'invalid message type'],
    ['METHOD_NOT_FOUND', 'Method not found'],
    ['NotImplementedError', ''],
    ['RuntimeError', 'target.describe is not implemented'],
    ['KeyError', "'target.describe'"],
    ['ValidationError', "Input should be 'target.reset' or 'target.close', got 'target.describe'"],
  ])('%s: %s', (code, message) => {
    expect(isUnsupported(code, message)).toBe(true);
  });

  it.each([
    ['KeyError', "'libero_goall'"],
    ['IndexError', 'list index out of range'],
    ['GLError', 'invalid operation in glClear'],
    ['OSError', '[Errno 95] Operation not supported'],
    ['RuntimeError', 'target.describe failed: CUDA error, unknown error'],
    ['RuntimeError', 'describe failed: unsupported GPU'],
    ['RuntimeError', 'EGL: unsupported display'],
    ['BAD_PAYLOAD', 'expected binary msgpack'],
    ['ValueError', 'unknown suite libero_x'],
    ['ValueError', 'invalid request: no session'],
    ['AttributeError', "'NoneType' object has no attribute 'step'"],
  ])('but not %s: %s', (code, message) => {
    expect(isUnsupported(code, message)).toBe(false);
  });
});
