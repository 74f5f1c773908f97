// Speaks MCP with the SDK: the revision of 2026-07-28, which needs no handshake, and the earlier ones, which begin with
// `initialize`. Each message gets its own server, so no client can see anything of another one.
import type * as Sdk from '@modelcontextprotocol/server';
import { MessageRefused, rpcCodes, rpcError, type McpAnswer, type McpEndpoint, type McpMessage } from '#core/mcp/index';
import type { Serving, ToolResult } from '#core/mcp/index';

type Json = Readonly<Record<string, unknown>>;
type Library = typeof Sdk;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The last revision with a handshake, which is offered to clients that name an unknown one. */
const usualRevision = '2025-11-25';
/** Clients that send this would wait for events, and the server has none. */
const unserved: ReadonlySet<unknown> = new Set(['subscriptions/listen']);
const forwarded = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;
/** Both are required by the protocol. Programs such as curl send neither. */
const bothTypes = 'application/json, text/event-stream';

/** @param version of the server, for people. */
export function mcpEndpoint({ version }: { readonly version: string }): McpEndpoint {
  // Loading takes a tenth of a second, so it waits until somebody uses MCP.
  let loading: Promise<Library> | undefined;
  const load = (): Promise<Library> => (loading ??= import('@modelcontextprotocol/server'));

  return {
    async handle(message, serving) {
      const sdk = await load();
      const body = acceptable(message.message);
      const request = requestOf(message);
      const server = (): Sdk.Server => serverOf(sdk, { serving, version, args: argumentsIn(message.message) });
      const response = (await sdk.isLegacyRequest(request, body))
        ? await withHandshake(sdk, server(), request, body)
        : await withoutHandshake(sdk, server, request, body);
      const text = await response.text();
      const answer = text === '' ? undefined : (JSON.parse(text) as Json);
      if (response.status >= 400)
        throw new MessageRefused(
          response.status,
          answer ?? rpcError(rpcCodes.invalidRequest, 'The message was refused'),
        );
      return { status: response.status, body: answer } satisfies McpAnswer;
    },
  } satisfies McpEndpoint;
}

/**
 * The message as the SDK receives it.
 * @throws {MessageRefused} for lists of messages, unserved methods and malformed handshakes.
 */
function acceptable(message: unknown): unknown {
  // Several messages in one body left the protocol with the revision of 2025-06-18. They would pass the rate limit.
  if (Array.isArray(message))
    throw new MessageRefused(400, rpcError(rpcCodes.invalidRequest, 'Send one message, not a list of messages'));
  if (!isObject(message)) return message;
  const { method, params, id } = message;
  if (unserved.has(method)) throw new MessageRefused(404, rpcError(rpcCodes.methodNotFound, 'Method not found', id));
  if (method === 'initialize') return { ...message, params: handshake(params, id) };
  if (
    method === 'tools/call' &&
    isObject(params) &&
    params['arguments'] !== undefined &&
    !isObject(params['arguments'])
  )
    return { ...message, params: { ...params, arguments: {} } };
  return message;
}

/** Defaults of a handshake by hand. */
const unnamed = {
  protocolVersion: usualRevision,
  capabilities: {},
  clientInfo: { name: 'unknown', version: '0' },
} as const;

/** @throws {MessageRefused} for members of another type. */
function handshake(params: unknown, id: unknown): Json {
  const whole: Json = isObject(params) ? { ...unnamed, ...params } : unnamed;
  const { protocolVersion, capabilities, clientInfo } = whole;
  if (
    (params === undefined || isObject(params)) &&
    typeof protocolVersion === 'string' &&
    isObject(capabilities) &&
    isObject(clientInfo)
  )
    return whole;
  throw new MessageRefused(
    400,
    rpcError(
      rpcCodes.invalidParams,
      'initialize takes "protocolVersion" (a text), "capabilities" and "clientInfo" (objects)',
      id,
    ),
  );
}

function requestOf({ url, header, signal }: McpMessage): Request {
  const accept = header('accept');
  const headers = new Headers({
    'content-type': 'application/json',
    accept:
      accept === undefined || /\*\/\*|application\/(?:\*|json)|text\/event-stream/i.test(accept) ? bothTypes : accept,
  });
  for (const name of forwarded) {
    const value = header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(url, { method: 'POST', headers, signal });
}

/** The unchanged arguments of a call. The SDK takes objects alone; the tool refuses others. */
const argumentsIn = (message: unknown): unknown =>
  isObject(message) && isObject(message['params']) ? (message['params']['arguments'] ?? {}) : {};

interface Served {
  readonly serving: Serving;
  readonly version: string;
  readonly args: unknown;
}

function serverOf(sdk: Library, { serving, version, args }: Served): Sdk.Server {
  const server = new sdk.Server(
    { name: 'hexforge', title: 'Hexforge', version },
    { capabilities: { tools: {} }, instructions: serving.instructions },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...(await serving.list())] as never }));
  server.setRequestHandler('tools/call', async ({ params: { name } }) => {
    const result = await serving.call(name, args);
    if (result === undefined)
      throw new sdk.ProtocolError(rpcCodes.invalidParams, `There is no tool "${clipped(name)}"; tools/list names them`);
    return presented(result);
  });
  return server;
}

const clipped = (name: string): string => (name.length > 80 ? `${name.slice(0, 80).toWellFormed()}…` : name);

/** Clients that do not read `structuredContent` get the same as text. */
const presented = (result: ToolResult) =>
  'failed' in result
    ? { isError: true, content: [{ type: 'text' as const, text: result.failed }] }
    : { structuredContent: result.data, content: [{ type: 'text' as const, text: JSON.stringify(result.data) }] };

/** Revisions to 2025-11-25. Sessions are optional there, and every request of a client without one is complete. */
async function withHandshake(sdk: Library, server: Sdk.Server, request: Request, body: unknown): Promise<Response> {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  try {
    return await unlessAborted(request.signal, transport.handleRequest(request, { parsedBody: body }));
  } finally {
    await server.close();
  }
}

/** The revision of 2026-07-28. */
async function withoutHandshake(
  sdk: Library,
  server: () => Sdk.Server,
  request: Request,
  body: unknown,
): Promise<Response> {
  const handler = sdk.createMcpHandler(server, { legacy: 'reject', maxSubscriptions: 0 });
  try {
    return await unlessAborted(request.signal, handler.fetch(request, { parsedBody: body }));
  } finally {
    await handler.close();
  }
}

/** A transport that was closed gives no answer any more, so the wait ends with the client. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
