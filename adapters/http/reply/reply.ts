// Turns a handler's result into a hapi response: status, headers, cookies, conditional requests and the body.
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Caller } from '#core/kernel/caller';
import type { AnswerCheck } from './answers.ts';
import { bearerChallenge, type Failure } from '../descriptor/errors.ts';
import { HtmlPage } from '../descriptor/html.ts';
import type { PageDocument } from '../descriptor/page-frame.ts';
import type { ExternalPaths } from './external-paths.ts';
import { jsonText, matches, tagOfText } from './json-text.ts';
import { cacheKey, type ResponseCache } from './response-cache.ts';
import { validateHeaderName, validateHeaderValue } from '../overload/node-http.ts';
import { ByteStream, Reply, Tagged, type Cookie, type ReplyOptions, type Route } from '../descriptor/route.ts';
import { pageSessionCookies } from '../request/credentials.ts';
import type { Exchange } from '../request/exchange.ts';
import { cancel, largestPiece, pieces, readable, type StreamHooks } from './streams.ts';

const json = 'application/json; charset=utf-8';
/** hapi's own minimum size for compression, in bytes. */
const worthGzip = 1024;
/** Bytes may be anyone's upload: a browser that opens them must not run scripts in our origin. */
const sandbox = "default-src 'none'; sandbox";

export interface ReplyContext {
  readonly route: Pick<Route, 'id' | 'success' | 'sameForAll' | 'result'>;
  /** Validated parameters of the path and the query. */
  readonly input: readonly unknown[];
  readonly caller: Caller;
  /** Whether cookies are restricted to https. */
  readonly secureCookies: boolean;
  readonly paths: ExternalPaths;
  readonly hooks: StreamHooks;
  readonly cache: ResponseCache;
  /** Undefined if answers are not checked. */
  readonly check: AnswerCheck | undefined;
  /** Makes the document of a page. */
  readonly framed: (page: HtmlPage, status: number) => Promise<PageDocument>;
}

export async function respond(
  request: Request,
  h: ResponseToolkit,
  result: unknown,
  context: ReplyContext,
): Promise<ResponseObject> {
  if (result instanceof Tagged) return await conditional(request, h, result, context);
  const { body, options } = unwrapped(result);
  const status = options.status ?? context.route.success ?? 200;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new Error(`an answer of the route "${context.route.id}" has a status that is none from 200 to 599`);
  const digested = options.etag === true ? await textOf(body, status, context) : undefined;
  const etag = digested === undefined ? (options.etag as string | undefined) : tagOfText(digested);
  const unchanged = etag !== undefined && status === 200 && clientHas(request, etag);
  if (unchanged && body instanceof ByteStream) await cancel(body);
  const response = unchanged
    ? notModified(h)
    : digested === undefined
      ? await withBody(request, h, body, status, context)
      : jsonResponse(h, digested, status);
  return withHeaders(response, { ...options, etag }, context);
}

/** The text of an answer whose tag is a digest of it. */
async function textOf(body: unknown, status: number, context: ReplyContext): Promise<string | Buffer> {
  if (body instanceof ByteStream) await cancel(body);
  if (body === undefined || body instanceof ByteStream || body instanceof HtmlPage)
    throw new Error(`an answer of the route "${context.route.id}" is no JSON: its tag cannot be a digest`);
  return jsonOf(body, status, context);
}

/** A conditional response: 304 if the client has the body, else from the response cache, else made by the route. */
async function conditional(
  request: Request,
  h: ResponseToolkit,
  { etag, make, headers }: Tagged<unknown>,
  context: ReplyContext,
): Promise<ResponseObject> {
  checkTag(etag);
  if (clientHas(request, etag)) return withHeaders(notModified(h), { etag, headers }, context);
  const { cache, route, caller } = context;
  const key = cacheKey(route.sameForAll === true ? undefined : caller, route.id, context.input, etag);
  let cached = cache.get(key);
  if (cached === undefined) {
    const { body, options } = unwrapped(await make());
    const final = options.provisional !== true;
    if (!final || body instanceof ByteStream)
      return withHeaders(
        await withBody(request, h, body, 200, context),
        { headers: { ...headers, ...options.headers }, ...(final && { etag }) },
        context,
      );
    // Reading and presenting have used enough of this event loop iteration.
    await new Promise((resolve) => setImmediate(resolve));
    const made = await jsonOf(body, 200, context);
    cached = { body: typeof made === 'string' ? Buffer.from(made) : made, headers: options.headers ?? {} };
    cache.set(key, cached);
  }
  const { body: bytes } = cached;
  const compressed =
    request.info.acceptEncoding === 'gzip' && bytes.length >= worthGzip ? await cache.gzipped(key, bytes) : undefined;
  const response = sendable(h, compressed ?? bytes).header('content-type', json);
  // hapi sets these headers itself on bodies that it compresses, which it decides by their length.
  return withHeaders(
    compressed === undefined ? response : response.header('content-encoding', 'gzip').vary('accept-encoding'),
    { etag, headers: { ...headers, ...cached.headers } },
    context,
  );
}

const unwrapped = (result: unknown): { readonly body: unknown; readonly options: ReplyOptions } =>
  result instanceof Reply ? result : { body: result, options: {} };

/** Whether the client already has the body. Changes are never answered with 304. */
const clientHas = ({ method, app }: Request, etag: string): boolean =>
  (method === 'get' || method === 'head') && matches(app.exchange.ifNoneMatch, etag);

const notModified = (h: ResponseToolkit): ResponseObject => withoutLength(h.response().code(304));

/** The headers of an answer, once its tag is known. */
type SentHeaders = Pick<ReplyOptions, 'headers' | 'cookies'> & { readonly etag?: string | undefined };

function withHeaders(
  response: ResponseObject,
  { etag, headers = {}, cookies = [] }: SentHeaders,
  { route, secureCookies, paths }: ReplyContext,
): ResponseObject {
  const outside = route.result === 'html' ? paths.pageHeader : paths.header;
  response.header('cache-control', 'no-store');
  if (etag !== undefined) response.etag(checkTag(etag));
  for (const [name, value] of Object.entries(headers)) setHeader(response, name, outside(name, value));
  for (const cookie of cookies) setCookie(response, cookie, { paths, secureCookies });
  return challenged(response);
}

type CookieContext = Pick<ReplyContext, 'paths' | 'secureCookies'>;

const setCookie = (response: ResponseObject, cookie: Cookie, { paths, secureCookies }: CookieContext): void =>
  void response.header('set-cookie', cookieLine(cookie, paths.cookie(cookie.path), secureCookies), { append: true });

/** The answer with the cookies of the renewed session, unless it sets cookies itself, as signing out does. */
export function withPageSession(
  response: ResponseObject,
  { pageSession }: Pick<Exchange, 'pageSession'>,
  context: CookieContext,
): ResponseObject {
  if (pageSession !== undefined && response.headers['set-cookie'] === undefined)
    for (const cookie of pageSessionCookies(pageSession)) setCookie(response, cookie, context);
  return response;
}

/** Every 401 has a challenge (RFC 9110, section 15.5.2), also one that a route words itself. */
function challenged(response: ResponseObject): ResponseObject {
  if (response.statusCode === 401 && response.headers['www-authenticate'] === undefined)
    response.header('www-authenticate', bearerChallenge);
  return response;
}

/** An error as JSON. */
export const jsonError = ({ body }: Failure): PageDocument => ({
  text: JSON.stringify(body),
  headers: { 'content-type': json },
});

/** An error for git, which shows only `text/plain` to its user. */
export const plainError = ({ body: { error, detail } }: Failure): PageDocument => ({
  text: [error, detail]
    .filter((line) => typeof line === 'string')
    .join('\n')
    .concat('\n'),
  headers: { 'content-type': 'text/plain; charset=utf-8' },
});

/** The answer to a failure, written in one of the formats of an error. */
export function errorResponse(
  h: ResponseToolkit,
  { status, headers }: Failure,
  { text, headers: ofFormat }: PageDocument,
): ResponseObject {
  const response = h.response(text).code(status).header('cache-control', 'no-store');
  for (const [name, value] of Object.entries({ ...ofFormat, ...headers })) response.header(name, value);
  return challenged(response);
}

async function withBody(
  request: Request,
  h: ResponseToolkit,
  body: unknown,
  status: number,
  context: ReplyContext,
): Promise<ResponseObject> {
  if (body === undefined) {
    context.check?.other('empty', status);
    return h.response().code(status);
  }
  if (body instanceof ByteStream) {
    await declaredBytes(body, status, context);
    // Packs, archives and blobs are already compressed or gain little; events must not be delayed by a compressor.
    Object.assign(request.info, { acceptEncoding: 'identity' });
    const response = h.response(readable(body, context.hooks)).code(status).header('content-security-policy', sandbox);
    setHeader(response, 'content-type', body.type);
    return body.length === undefined ? response : response.bytes(body.length);
  }
  if (body instanceof HtmlPage) {
    context.check?.other('html', status);
    const { text, headers } = await context.framed(body, status);
    const response = h.response(text).code(status);
    for (const [name, value] of Object.entries(headers)) response.header(name, value);
    return response;
  }
  return jsonResponse(h, await jsonOf(body, status, context), status);
}

const jsonResponse = (h: ResponseToolkit, text: string | Buffer, status: number): ResponseObject =>
  sendable(h, text).code(status).header('content-type', json);

/** Short bodies are sent unsplit, which is fastest. A UTF-16 code unit takes at most three bytes in UTF-8. */
function sendable(h: ResponseToolkit, whole: string | Buffer): ResponseObject {
  if (whole.length * 3 <= largestPiece) return h.response(whole);
  const bytes = typeof whole === 'string' ? Buffer.from(whole) : whole;
  return h.response(pieces(bytes)).bytes(bytes.length);
}

const jsonOf = (body: unknown, status: number, { check }: ReplyContext): string | Promise<string | Buffer> =>
  check === undefined ? jsonText(body) : checkedJson(body, status, check);

async function checkedJson(body: unknown, status: number, check: AnswerCheck): Promise<string | Buffer> {
  const text: string | Buffer | undefined = await jsonText(body, check.largest);
  return jsonText(check.json(text === undefined ? undefined : JSON.parse(String(text)), status));
}

async function declaredBytes(body: ByteStream, status: number, { check }: ReplyContext): Promise<void> {
  try {
    check?.other('bytes', status);
  } catch (error) {
    await cancel(body);
    throw error;
  }
}

/**
 * Removes Content-Length: hapi would send the length of the empty body to HEAD, and a cache would take it for the
 * length of the entity (RFC 9110, section 8.6).
 */
function withoutLength(response: ResponseObject): ResponseObject {
  Object.defineProperty(response.headers, 'content-length', {
    get: () => undefined,
    set(_length: unknown) {
      /* Stays absent. */
    },
    configurable: true,
    enumerable: true,
  });
  return response;
}

/** The server itself sets the headers on message framing and connection handling (RFC 9110, section 7.6.1). */
const ofTheConnection = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Checks the text between the quotes of an entity tag (RFC 9110, section 8.8.3). */
function checkTag(etag: string): string {
  if (typeof etag === 'string' && /^[\x21\x23-\x7e]+$/.test(etag)) return etag;
  throw new Error('the tag of an answer must be one or more characters of ASCII, without blanks and quotes');
}

function setHeader(response: ResponseObject, name: string, value: string): void {
  // hapi would detect invalid headers only while sending, too late for an error response.
  validateHeaderName(name);
  validateHeaderValue(name, value);
  if (ofTheConnection.has(name.toLowerCase()))
    throw new Error(`the header "${name}" of an answer is the server's to set`);
  response.header(name, value);
}

function cookieLine({ name, value, sameSite, maxAgeSeconds }: Cookie, path: string, secure: boolean): string {
  if (!/^[\w-]+$/.test(name) || !/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(value))
    throw new Error(`cookie "${name}" has a name or value that a cookie cannot have`);
  const lifetime = value === '' ? 'Max-Age=0' : `Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; ${lifetime}; Path=${path}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
}
