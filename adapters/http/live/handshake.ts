// The opening handshake of a WebSocket (RFC 6455, section 4): its required headers and its credential.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Presented } from '#core/kernel/access/credentials';
import { Unauthorized, UpgradeRequired, ValidationFailed } from '#core/kernel/errors';
import { presentedIn } from '../request/credentials.ts';
import { asksToSwitch } from '../overload/listener.ts';

/** The subprotocol by which a browser, which cannot set other headers, sends a token. */
const bearer = 'bearer';
const key = /^[+/0-9A-Za-z]{22}==$/;
/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** @throws {UpgradeRequired | ValidationFailed} */
export function checkHandshake(request: IncomingMessage): void {
  const { headers } = request;
  if (!asksToSwitch(request))
    throw new UpgradeRequired('This path is that of a WebSocket', {
      detail: 'Send GET with "Connection: Upgrade" and "Upgrade: websocket"; a proxy between has to pass them on',
    });
  if (headers['sec-websocket-version'] !== '13')
    throw new UpgradeRequired('This version of the WebSocket protocol is not known', { detail: 'The version is 13' });
  if (!key.test(headers['sec-websocket-key'] ?? ''))
    throw new ValidationFailed('The handshake of the WebSocket is not valid', {
      detail: 'Sec-WebSocket-Key must be 16 bytes in base64',
    });
}

/**
 * The credential of a request, from its Authorization header or from `Sec-WebSocket-Protocol: bearer, TOKEN`.
 * @throws {Unauthorized} for a malformed credential: it never counts as anonymous.
 */
export function shownIn(headers: IncomingHttpHeaders): Presented | undefined {
  const presented = presentedIn(headers.authorization);
  if (presented !== undefined) return presented;
  const [name, value = '', ...rest] = headers['sec-websocket-protocol']?.split(',').map((one) => one.trim()) ?? [];
  if (name !== bearer) return undefined;
  if (rest.length === 0 && token.test(value)) return { via: 'bearer', token: value };
  throw new Unauthorized('The credential is not valid', {
    detail: 'Sec-WebSocket-Protocol must be "bearer, TOKEN"',
  });
}

/**
 * Reduces the offered subprotocols to the one in the answer: `bearer` if a token was sent that way, otherwise no
 * subprotocol.
 */
export function chooseProtocol({ headers }: IncomingMessage): void {
  if (headers['sec-websocket-protocol']?.split(',')[0]?.trim() === bearer) headers['sec-websocket-protocol'] = bearer;
  else delete headers['sec-websocket-protocol'];
}
