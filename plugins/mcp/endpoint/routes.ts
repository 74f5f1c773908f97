// The MCP endpoint of a repository: one message of a client in, one answer out.
import { api, HexforgeError, Joi, reply, type Input, type JsonBody, type Route, type RouteSpec } from 'hexforge/plugin';
import { malformedMessage, MessageRefused, type McpEndpoint } from 'hexforge/mcp';
import { canonicalResource, mcpResource, resourceMetadataUrl } from 'hexforge/oauth';
import { endpointScope, type McpUseCases } from '#core/mcp/use-cases';
import { readsAsUser } from '../access.ts';

export interface EndpointParts {
  readonly useCases: McpUseCases;
  readonly endpoint: McpEndpoint;
  readonly baseUrl: () => string;
}

type Refusal = NonNullable<RouteSpec<never, never, never, 'empty', { readonly who: 'anyone' }>['refusal']>;

/** Names of path parameters, which anonymous callers choose. */
const named = (params: Readonly<Record<string, string>>) => ({
  owner: encodeURIComponent(params['owner'] ?? ''),
  repo: encodeURIComponent(params['repo'] ?? ''),
});

const challenging = new Set(['unauthorized', 'insufficient_scope', 'invalid_audience']);

/**
 * Errors of the gate have the JSON of REST and a challenge that leads clients to the authorization server (RFC 9728,
 * section 5.1). Errors of messages are JSON-RPC. The switched off instance has no error code.
 */
const worded =
  (baseUrl: () => string): Refusal =>
  ({ status, headers, body }, error, params) => {
    if (error instanceof MessageRefused) return { status: error.status, headers, body: error.rpc };
    const { error_code: code, ...rest } = body;
    if (status === 503 && code === 'unavailable') return { status, headers, body: rest };
    if (!challenging.has(String(code))) return { status, headers, body };
    const { owner, repo } = named(params);
    const why = /error="(\w+)"/.exec(headers['www-authenticate'] ?? '')?.[1];
    const challenge = [
      'Bearer realm="mcp"',
      ...(why === undefined ? [] : [`error="${why}"`]),
      'scope="mcp:read"',
      `resource_metadata="${resourceMetadataUrl(baseUrl(), owner, repo)}"`,
    ].join(', ');
    return { status, headers: { ...headers, 'www-authenticate': challenge }, body };
  };

/** The kinds of errors of a body that the reader of JSON refuses. */
const malformed: ReadonlySet<string> = new Set(['malformed_json', 'validation_failed', 'unknown_field']);

type Message = Input<{ readonly owner: string; readonly repo: string }, unknown, JsonBody, typeof readsAsUser>;

export const endpointRoute = ({ useCases, endpoint, baseUrl }: EndpointParts): Route =>
  api({
    id: 'mcpMessage',
    summary: 'The MCP endpoint of a repository: one JSON-RPC message over Streamable HTTP',
    method: 'POST',
    path: '/mcp/{owner}/{repo}',
    meter: 'mcp.tool_call',
    access: readsAsUser,
    scope: endpointScope,
    open: ({ caller }) => useCases.open(caller),
    resource(params) {
      const { owner, repo } = named(params);
      const resource = mcpResource(baseUrl(), owner, repo);
      return canonicalResource(baseUrl(), resource) ?? resource;
    },
    refusal: worded(baseUrl),
    cors: true,
    hidden: true,
    body: 'json',
    result: Joi.object().unknown(),
    async run(call, { granted, params, header, body }: Message) {
      const serving = await useCases.serve(granted, { ...params, host: header('host') });
      const message = await body().catch((error: unknown) => {
        throw error instanceof HexforgeError && malformed.has(error.kind) ? malformedMessage(error) : error;
      });
      const { owner, repo } = named(params);
      const url = mcpResource(baseUrl(), owner, repo);
      const answer = await endpoint.handle({ message, header, url, signal: call.signal }, serving);
      return reply(answer.body as Record<string, unknown>, { status: answer.status });
    },
  });
