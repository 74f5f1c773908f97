// Makes Node's listener emit every request in the form that hapi can handle: requests in absolute form, and requests to
// switch protocols (`Upgrade`).
import type { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ServerResponse } from './node-http.ts';

/** The connection of a request that switched to another protocol. */
export interface Connection {
  readonly socket: Socket;
  /** Bytes that arrived after the request. */
  readonly head: Buffer;
}

const heads = new WeakMap<IncomingMessage, Buffer>();

/**
 * Whether a request opens a WebSocket, judged by its head (RFC 6455, section 4.1). The upgrade is ignored for other
 * requests.
 */
export const opensWebSocket = ({ method, headers, httpVersion }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

/** A scheme and an authority. */
const origin = /^https?:\/\/[^/?#]+/i;

/**
 * Must be called before other request listeners are added. A request to switch protocols takes the same steps and gets
 * the same errors as others, until a handler takes over its connection. The connection is closed if it is refused.
 */
export function emitUsualRequests(listener: Server): void {
  for (const event of ['request', 'checkContinue']) listener.on(event, toOriginForm);
  listener.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(request, head);
    // Node no longer handles errors of this socket.
    socket.on('error', () => socket.destroy());
    const answer = new ServerResponse(request);
    answer.shouldKeepAlive = false;
    answer.once('finish', () => socket.destroySoon());
    listener.emit('request', request, answer);
  });
}

/**
 * Rewrites absolute form, `GET http://forge.example/path`, to origin form (RFC 9112, section 3.2): hapi parses the query
 * of an absolute URL in quadratic time; in origin form it reads at most 1000 parameters.
 */
function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  const [start] = origin.exec(url) ?? [];
  // An invalid origin is left unchanged; the request is rejected later because of its URL.
  if (start === undefined || !URL.canParse(start)) return;
  const rest = url.slice(start.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Takes over the connection of an upgrade request; the calling code owns it afterwards. */
export function takeOver(request: IncomingMessage, answer: ServerResponse): Connection | undefined {
  const head = heads.get(request);
  const { socket } = request;
  if (head === undefined || socket.destroyed) return undefined;
  heads.delete(request);
  answer.detachSocket(socket);
  return { socket, head };
}

export const asksToSwitch = (request: IncomingMessage): boolean => heads.has(request);
