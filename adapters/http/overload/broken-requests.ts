// Answers requests that never reach hapi, such as malformed HTTP, by writing the error envelope directly to the socket.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorKind } from '#core/kernel/errors';
import { STATUS_CODES } from './node-http.ts';

interface Answer {
  readonly status: number;
  readonly code: ErrorKind;
  readonly error: string;
}
const byCode: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'payload_too_large', error: 'The request line and headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'validation_failed', error: 'The request did not arrive in time' },
};
const malformed: Answer = { status: 400, code: 'validation_failed', error: 'The request is not valid HTTP' };
const tooMany: Answer = {
  status: 429,
  code: 'rate_limited',
  error: 'Too many connections are open from this address',
};

const noTunnel: Answer = {
  status: 405,
  code: 'method_not_allowed',
  error: 'The method is not allowed: this server is no proxy',
};

/** A client that does not close its connection in this time is disconnected. */
const lingerMilliseconds = 1_000;

/**
 * @param current the latest unfinished answer of this connection. If it has been started, or its request is complete,
 * the client would read a second answer as part of it, so the connection is closed without one.
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { current, requestId }: { readonly current: ServerResponse | undefined; readonly requestId: string },
): void {
  if (
    current?.headersSent === true ||
    current?.req.complete === true ||
    !socket.writable ||
    error.code === 'ECONNRESET'
  ) {
    socket.destroy();
    return;
  }
  answerAndClose(socket, byCode[error.code ?? ''] ?? malformed, requestId);
}

/** The methods of all routes together. */
export const everyMethod = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Answers CONNECT with 405, because the server is no proxy (RFC 9110, section 9.3.6). */
export function refuseTunnel(socket: Socket, requestId: string): void {
  answerAndClose(socket, noTunnel, requestId, [`Allow: ${everyMethod}`]);
}

/** Answers a client that has too many connections with 429. */
export function refuseConnection(socket: Socket, requestId: string): void {
  // The request is never read, so the answer may be lost with the connection.
  socket.on('error', () => undefined);
  answerAndClose(socket, tooMany, requestId, ['Retry-After: 1']);
}

function answerAndClose(
  socket: Socket,
  { status, code, error }: Answer,
  requestId: string,
  headers: readonly string[] = [],
): void {
  const body = JSON.stringify({ error, error_code: code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      // An origin server with a clock sends the date (RFC 9110, section 6.6.1).
      `Date: ${new Date().toUTCString()}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Referrer-Policy: no-referrer',
      'Cache-Control: no-store',
      ...headers,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}
