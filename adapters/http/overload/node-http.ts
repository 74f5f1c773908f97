// The parts of node:http that are used. An `import` of that module evaluates all its exports, one of which loads the
// whole of undici, which takes a twentieth of the start time.
import type * as Http from 'node:http';

const http = process.getBuiltinModule('node:http');

export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } = http;
export type ServerResponse = Http.ServerResponse;
