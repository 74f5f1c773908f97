// What is used of node:http. An `import` of that module reads all it exports, and one of these loads the whole of
// undici, which takes a twentieth of a start.
import type * as Http from 'node:http';

const http = process.getBuiltinModule('node:http');

export const { createServer, ServerResponse, STATUS_CODES, validateHeaderName, validateHeaderValue } = http;
export type ServerResponse = Http.ServerResponse;
