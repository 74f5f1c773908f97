// Messages of MCP as raw JSON-RPC, for the specs of the endpoint.
import type { Answer, Client } from '#test/support/clients/client';
import type { TestForge } from '#test/support/forge';
import { makeApp, tokensFor } from '../oauth-server/flow.ts';

export const endpointOf = (full: string): string => `/api/v1/mcp/${full}`;

export const message = (method: string, params?: object, id: unknown = 1): Readonly<Record<string, unknown>> => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
});

/** Sends one message as clients do that know no session. */
export const send = (
  client: Client,
  full: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  client.post(endpointOf(full), {
    body,
    headers: { accept: 'application/json, text/event-stream', ...headers },
  });

export interface CallResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

/** @throws {Error} if the answer is no result of JSON-RPC. */
export function resultOf<T>(answer: Answer): T {
  const { result } = (answer.body ?? {}) as { readonly result?: T };
  if (answer.status !== 200 || result === undefined) throw new Error(`no result but ${answer.status}: ${answer.text}`);
  return result;
}

export const call = async (client: Client, full: string, name: string, args: unknown = {}): Promise<CallResult> =>
  resultOf<CallResult>(await send(client, full, message('tools/call', { name, arguments: args } as object)));

/** The data of a call that succeeded. @throws {Error} with the sentence of the tool, if it failed. */
export async function data<T = Readonly<Record<string, unknown>>>(
  client: Client,
  full: string,
  name: string,
  args: unknown = {},
): Promise<T> {
  const { isError, structuredContent, content } = await call(client, full, name, args);
  if (isError === true || structuredContent === undefined) throw new Error(`${name}: ${content[0]?.text}`);
  return structuredContent as T;
}

/** The sentence of the tool about a call that failed. @throws {Error} if it succeeded. */
export async function failed(client: Client, full: string, name: string, args: unknown): Promise<string> {
  const { isError, content } = await call(client, full, name, args);
  if (isError !== true) throw new Error(`${name} succeeded: ${content[0]?.text}`);
  return content[0]?.text ?? '';
}

export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export const listed = async (client: Client, full: string): Promise<readonly ShownTool[]> =>
  resultOf<{ readonly tools: readonly ShownTool[] }>(await send(client, full, message('tools/list'))).tools;

export const namesOf = async (client: Client, full: string): Promise<readonly string[]> =>
  (await listed(client, full)).map(({ name }) => name);

/** A client with an OAuth2 token of the user. @param resource its audience; undefined: none. */
export async function oauthClient(
  forge: TestForge,
  user: Client,
  scope: string,
  resource: string | undefined,
): Promise<Client> {
  const app = await makeApp(user, { scopes: ['mcp:read', 'read:repo', 'read:issue', 'read:user'] });
  return forge.as((await tokensFor(forge, user, app, { scope, resource })).access_token);
}

/** Creates a repository of the client's user. */
export async function makeRepository(
  client: Client,
  name: string,
  visibility: 'public' | 'internal' | 'private' = 'private',
): Promise<void> {
  const made = await client.post('/api/v1/repos', { body: { name, visibility } });
  if (made.status !== 201) throw new Error(`creating "${name}" answered ${made.status}: ${made.text}`);
}
