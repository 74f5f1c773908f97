// Requests to switch protocols (`Upgrade`), as requests like any other: they go through the same steps, and are
// answered with the same errors, until somebody takes their connection over.
import type { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ServerResponse } from '../node-http.ts';

/** What is left of a request when its connection goes on under another protocol. */
export interface Connection {
  readonly socket: Socket;
  /** What came after the request already. */
  readonly head: Buffer;
}

const heads = new WeakMap<IncomingMessage, Buffer>();

/** Whether a request opens a WebSocket, as far as its head tells (RFC 6455, section 4.1); others stay what they are. */
export const opensWebSocket = ({ method, headers, httpVersion }: IncomingMessage): boolean =>
  method === 'GET' &&
  httpVersion === '1.1' &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;

/**
 * Lets the listener answer them as requests, and end the connection where they are refused. The answer gets the
 * connection when it is its turn.
 */
export function answerUpgrades(listener: Server): void {
  listener.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    heads.set(request, head);
    // Node looks after the connection no longer.
    socket.on('error', () => socket.destroy());
    const answer = new ServerResponse(request);
    answer.shouldKeepAlive = false;
    answer.once('finish', () => socket.destroySoon());
    listener.emit('request', request, answer);
  });
}

/** The connection of a request that asked for another protocol; from now on it is the caller's. */
export function takeOver(request: IncomingMessage, answer: ServerResponse): Connection | undefined {
  const head = heads.get(request);
  const { socket } = request;
  if (head === undefined || socket.destroyed) return undefined;
  heads.delete(request);
  answer.detachSocket(socket);
  return { socket, head };
}

export const asksToSwitch = (request: IncomingMessage): boolean => heads.has(request);
