// Handles requests to switch protocols (`Upgrade`) like other requests: with the same steps and the same errors, until
// a handler takes over the connection.
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

/**
 * Makes the listener handle upgrades as requests, and closes the connection if one is refused. The answer gets the
 * socket when the earlier requests of the connection are answered.
 */
export function answerUpgrades(listener: Server): void {
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
