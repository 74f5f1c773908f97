// The parts of node:http that are used. An `import` of that module evaluates all its exports, one of which loads the
// whole of undici, which takes a twentieth of the start time.
import type * as Http from 'node:http';
import type { Socket } from 'node:net';

const http = process.getBuiltinModule('node:http');

export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } = http;
export type ServerResponse = Http.ServerResponse;

/** Node has no public list of the connections on which a request has begun to arrive. */
interface ConnectionsList {
  active(): readonly { readonly socket: Socket | null }[];
}

/**
 * The connections on which a request arrives or runs, from its first byte on; new connections too, although nothing has
 * arrived on them.
 */
export function activeConnections(listener: Http.Server): ReadonlySet<Socket | null> {
  const name = Object.getOwnPropertySymbols(listener).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list = name && (listener as unknown as Readonly<Record<symbol, ConnectionsList | undefined>>)[name];
  return new Set(list?.active().map(({ socket }) => socket));
}
