// Stock MCP clients, unmodified: the SDK of the handshake era, and that of 2026-07-28 in both of its modes. From a cold
// start: discovery, registration, consent, PKCE, tools, and a refresh of the token.
import t from 'tap';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { decide, setSetting } from '../oauth-server/flow.ts';
import { endpointOf, makeRepository, namesOf } from './wire.ts';

const redirectUri = 'http://127.0.0.1:7777/callback';
const implementation = { name: 'spec', version: '1' };

/** The store of a client, and the URL to which it would send its user. */
class Provider {
  client: unknown;
  stored: { readonly access_token: string; readonly refresh_token?: string } | undefined;
  discovered: unknown;
  verifier = '';
  sentTo: URL | undefined;

  readonly redirectUrl = redirectUri;
  readonly clientMetadata = {
    client_name: 'A stock client',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  state = (): string => 'a state';
  clientInformation = (): never => this.client as never;
  saveClientInformation = (information: unknown): void => void (this.client = information);
  tokens = (): never => this.stored as never;
  saveTokens = (tokens: never): void => void (this.stored = tokens);
  redirectToAuthorization = (url: URL): void => void (this.sentTo = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  codeVerifier = (): string => this.verifier;
  discoveryState = (): never => this.discovered as never;
  saveDiscoveryState = (state: unknown): void => void (this.discovered = state);
}

interface Connection {
  readonly client: {
    connect(transport: never): Promise<void>;
    close(): Promise<void>;
    getInstructions(): string | undefined;
    listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
    callTool(call: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<object>;
  };
  readonly transport: { finishAuth(code: never): Promise<void> };
  /** The argument of `finishAuth`. */
  readonly proof: (query: URLSearchParams) => unknown;
  readonly version: () => string | undefined;
}

const kinds: Readonly<
  Record<string, { readonly version: string | undefined; make(url: URL, by: Provider): Connection }>
> = {
  'SDK 1': {
    version: '2025-11-25',
    make(url, by) {
      const transport = new EarlierTransport(url, { authProvider: by as never });
      const client = new EarlierClient(implementation);
      const version = (): string | undefined => transport.protocolVersion;
      return { client: client as never, transport: transport as never, proof: (query) => query.get('code'), version };
    },
  },
  'SDK 2': {
    version: '2025-11-25',
    make(url, by) {
      const transport = new ModernTransport(url, { authProvider: by as never });
      const client = new ModernClient(implementation);
      const version = (): string | undefined => client.getNegotiatedProtocolVersion();
      return { client: client as never, transport: transport as never, proof: (query) => query, version };
    },
  },
  'SDK 2 without a handshake': {
    version: '2026-07-28',
    make(url, by) {
      const transport = new ModernTransport(url, { authProvider: by as never });
      const client = new ModernClient(implementation, { versionNegotiation: { mode: 'auto' } });
      const version = (): string | undefined => client.getNegotiatedProtocolVersion();
      return { client: client as never, transport: transport as never, proof: (query) => query, version };
    },
  },
};

/** The user signs in and approves. @returns what the browser takes back to the client. */
async function approved(
  forge: TestForge,
  user: Parameters<typeof decide>[0],
  provider: Provider,
): Promise<URLSearchParams> {
  const asked = Object.fromEntries(provider.sentTo?.searchParams ?? []);
  if (provider.sentTo?.origin !== new URL(forge.url).origin) throw new Error('the client asked nobody');
  const { body } = await decide(user, asked);
  return new URL((body as { redirect_url: string }).redirect_url).searchParams;
}

for (const [what, { make, version }] of Object.entries(kinds))
  void t.test(`${what}: from nothing to a call, with registration, consent and a refresh`, async (t) => {
    const forge = await sharedForge(t);
    await setSetting(forge, 'oauth2.dcr.enabled', 'true');
    t.teardown(() => setSetting(forge, 'oauth2.dcr.enabled', 'false'));
    const owner = await forge.createUser('owner');
    await makeRepository(owner.client, 'code');
    const content = Buffer.from('# Read me\n').toString('base64');
    await owner.client.put('/api/v1/repos/owner/code/contents/README.md', { body: { message: 'Add', content } });
    const url = new URL(endpointOf('owner/code'), forge.url);
    const provider = new Provider();

    const first = make(url, provider);
    await t.rejects(first.client.connect(first.transport as never), { name: /Unauthorized|Error/ });
    t.match(Object.fromEntries(provider.sentTo?.searchParams ?? []), {
      scope: 'mcp:read',
      resource: url.href,
      code_challenge_method: 'S256',
    });
    await first.transport.finishAuth(first.proof(await approved(forge, owner.client, provider)) as never);
    t.match(provider.stored, { access_token: /^svc_oat_/, refresh_token: /^svc_ort_/, scope: 'mcp:read' });

    const { client, transport, version: spoken } = make(url, provider);
    t.teardown(() => client.close());
    await client.connect(transport as never);
    t.equal(spoken(), version);
    t.match(client.getInstructions(), /owner\/code/);
    const { tools } = await client.listTools();
    t.strictSame(
      tools.map(({ name }) => name),
      await namesOf(owner.client, 'owner/code'),
    );
    // The clients check structured results against the schema of the tool.
    const read = { name: 'read_file', arguments: { path: 'README.md' } };
    t.match(await client.callTool(read), { structuredContent: { content: '# Read me\n', total_lines: 1 } });
    for (const [name, args] of Object.entries(everyTool))
      t.notMatch(await client.callTool({ name, arguments: args }), { isError: true }, name);
    t.match(await client.callTool({ name: 'read_file', arguments: { path: 'none' } }), {
      isError: true,
      content: [{ type: 'text', text: /list_tree/ }],
    });
    await t.rejects(client.callTool({ name: 'none', arguments: {} }), { code: -32602 });

    const lost = provider.stored?.access_token;
    provider.stored = { ...provider.stored, access_token: 'svc_oat_lost' };
    t.match(await client.callTool(read), { structuredContent: { path: 'README.md' } });
    t.not(provider.stored?.access_token, lost, 'the client has a new token');
  });

const everyTool: Readonly<Record<string, Record<string, unknown>>> = {
  repo_info: {},
  list_branches: {},
  list_tags: {},
  list_tree: { recursive: true },
  list_commits: { path: 'README.md' },
  show_commit: { sha: 'main' },
  get_file_at_two_refs_diff: { path: 'README.md', base: 'main', head: 'main' },
  list_issues: { state: 'open' },
  search_issues: { query: 'anything' },
};
