import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../base/error-code.ts';
import { errorOf, type RbError } from '../errors/rb-error.ts';

/** The policy's refusal, in place of the handshake that the runtime waits for. */
export function refuse(socket: Duplex, error: Error): void {
  const status = /^Unexpected server response: (\d{3})$/.exec(error.message)?.[1] ?? '502';
  const text = STATUS_CODES[status] ?? 'Refused';
  const body = `the policy behind the recorder: ${reasonOf(error)}`;
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Without addresses: a code, or what the WebSocket library says. */
export function reasonOf(error: Error): string {
  if (isTooBig(error)) return 'a message above the limit';
  const code = errorCode(error);
  return code === null || code.startsWith('WS_') || code.startsWith('HPE_') ? error.message : code;
}

export function isTooBig(error: Error): boolean {
  return errorCode(error) === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
}

/** RB356 (exit 3). */
export function noPort(error: Error): RbError {
  return errorOf(
    'RB356',
    {
      where: 'input record-policy',
      message: `no port of the loopback device is to be had for recording: ${reasonOf(error)}.`,
    },
    { cause: error },
  );
}
