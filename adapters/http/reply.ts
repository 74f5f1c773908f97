// What a handler answered, as a hapi response: status, headers, cookies, entity tag and one of three kinds of body.
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Failure } from './errors.ts';
import { matches } from './etag.ts';
import { ByteStream, Reply, type Cookie, type Route } from './route.ts';
import { readable, release, type StreamCare } from './streams.ts';

const json = 'application/json; charset=utf-8';
/** Bytes may be anyone's upload: a browser that opens them runs nothing of theirs in our origin. */
const sandbox = "default-src 'none'; sandbox";

export interface ReplyContext {
  readonly route: Pick<Route, 'success'>;
  /** Whether cookies are for https alone. */
  readonly secure: boolean;
  readonly care: StreamCare;
  /** Says what is wrong with a JSON body; undefined where bodies are not checked. */
  readonly flaw: ((body: unknown) => string | undefined) | undefined;
}

export async function answer(request: Request, h: ResponseToolkit, result: unknown, context: ReplyContext): Promise<ResponseObject> {
  const { body, options } = result instanceof Reply ? result : { body: result, options: {} as Reply<unknown>['options'] };
  const status = options.status ?? context.route.success ?? 200;
  const reading = request.method === 'get' || request.method === 'head';
  const unchanged = options.etag !== undefined && status === 200 && reading && matches(request.raw.req.headers['if-none-match'], options.etag);
  if (unchanged && body instanceof ByteStream) await release(body);
  const response = unchanged ? h.response().code(304) : withBody(request, h, body, status, context);
  if (response.statusCode === 304) withoutLength(response);
  response.header('cache-control', 'no-store');
  if (options.etag !== undefined) response.etag(options.etag);
  for (const [name, value] of Object.entries(options.headers ?? {})) setHeader(response, name, value);
  for (const cookie of options.cookies ?? []) response.header('set-cookie', cookieLine(cookie, context.secure), { append: true });
  return response;
}

/** `plain`: for git, which shows a person what is `text/plain` and nothing else. */
export function failed(h: ResponseToolkit, { status, headers, body }: Failure, plain = false): ResponseObject {
  const { error, detail } = body;
  const text = plain ? [error, detail].filter((line) => typeof line === 'string').join('\n').concat('\n') : JSON.stringify(body);
  const response = h.response(text).code(status).header('content-type', plain ? 'text/plain; charset=utf-8' : json).header('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.header(name, value);
  return response;
}

function withBody(request: Request, h: ResponseToolkit, body: unknown, status: number, context: ReplyContext): ResponseObject {
  if (body === undefined) return h.response().code(status);
  if (body instanceof ByteStream) {
    // Packs, archives and blobs are compressed already or gain little; events must not wait for a compressor.
    Object.assign(request.info, { acceptEncoding: 'identity' });
    const response = h.response(readable(body, context.care)).code(status).header('content-security-policy', sandbox);
    setHeader(response, 'content-type', body.type);
    return body.length === undefined ? response : response.bytes(body.length);
  }
  const text = JSON.stringify(body);
  const flaw = status < 400 ? context.flaw?.(JSON.parse(text)) : undefined;
  if (flaw !== undefined) throw new Error(`the answer does not fit its schema: ${flaw}`);
  return h.response(text).code(status).header('content-type', json);
}

/** hapi would tell the length of the empty body to HEAD, and a cache would take it for that of the entity (RFC 9110, section 8.6). */
function withoutLength({ headers }: ResponseObject): void {
  Object.defineProperty(headers, 'content-length', { get: () => undefined, set(_length: unknown) { /* stays absent */ }, configurable: true, enumerable: true });
}

function setHeader(response: ResponseObject, name: string, value: string): void {
  // hapi would find out only while sending, past the point where an error can still be told properly.
  validateHeaderName(name);
  validateHeaderValue(name, value);
  response.header(name, value);
}

function cookieLine({ name, value, path, sameSite, maxAgeSeconds }: Cookie, secure: boolean): string {
  if (!/^[\w-]+$/.test(name) || !/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value)) throw new Error(`cookie "${name}" has a name or value that a cookie cannot have`);
  const lifetime = value === '' ? 'Max-Age=0' : `Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; ${lifetime}; Path=${path}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
}
