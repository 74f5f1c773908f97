// Access walk of all operations with every kind of token, on a public and a private repository. The tokens lack the
// scope, have it, are bound to another resource, belong to a user without the permission, or have ended in every way.
// The expected answers are in the hand-written table of scopes (scope-table.ts).
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge, type TestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import type { Operation } from '#test/support/clients/openapi';
import { fill, readsOwnCredentials } from '#test/support/clients/walk';
import { endedCredentials } from './ended-credentials.ts';
import { expected, makeApp, tokensFor, type App } from './flow.ts';
import { allBut, doorOf, lines, oauthScopes, patScopes, type Door, type TokenScope } from './scope-table.ts';

/** An answer: its status, and the code of an error. */
type Told = string;
const toldBy = ({ status, body }: Answer): Told => {
  const code = (body as { readonly error_code?: string } | undefined)?.error_code;
  return code === undefined ? `${status}` : `${status} ${code}`;
};

interface Holder {
  readonly who: string;
  readonly session: Client;
  /** For each kind of token, a function that makes one with these scopes. */
  readonly tokens: Readonly<Record<keyof Door, (scopes: readonly TokenScope[]) => Promise<Client>>>;
}

function holder(forge: TestForge, app: App, who: string, session: Client): Holder {
  const once = (make: (scopes: readonly TokenScope[]) => Promise<Client>) => {
    const made = new Map<string, Promise<Client>>();
    return (scopes: readonly TokenScope[]): Promise<Client> => {
      const key = scopes.join(' ');
      const token = made.get(key) ?? make(scopes);
      made.set(key, token);
      return token;
    };
  };
  return {
    who,
    session,
    tokens: {
      pat: once((scopes) => forge.pat(session, scopes)),
      oauth: once(async (scopes) =>
        forge.as((await tokensFor(forge, session, app, { scope: scopes.join(' ') })).access_token),
      ),
    },
  };
}

/** One kind of token in the row of one operation. */
interface Column {
  readonly what: string;
  readonly holder: Holder;
  readonly client: () => Promise<Client>;
  /** Undefined: the same answer as the holder's session gets. */
  readonly told: Told | undefined;
}

/** The scopes of each token to try for an operation, and the expected answer. */
function cells(
  needed: Door[keyof Door],
  all: readonly TokenScope[],
  fewest: readonly TokenScope[],
): readonly (readonly [scopes: readonly TokenScope[], told: Told | undefined])[] {
  switch (needed) {
    case 'session':
      return [[all, '403 forbidden']];
    case 'no':
      return [[all, '403 insufficient_scope']];
    case 'any':
      return [[fewest, undefined]];
    default:
      return [
        [allBut(all, needed), '403 insufficient_scope'],
        [[needed], undefined],
      ];
  }
}

/** The tokens of one holder for one operation: without its scope and with it, if the operation needs a scope. */
const columns = (door: Door, holder: Holder): readonly Column[] =>
  (
    [
      ['pat', cells(door.pat, patScopes, [])],
      ['oauth', cells(door.oauth, oauthScopes, ['email'])],
    ] as const
  ).flatMap(([kind, asked]) =>
    asked.map(([scopes, told]) => ({
      what: `${kind} of ${holder.who} with "${scopes.join(' ')}"`,
      holder,
      client: () => holder.tokens[kind](scopes),
      told,
    })),
  );

const visibilities = ['public', 'private'] as const;

/** Some of the ended credentials (ended-credentials.ts), to save time. The access walk of git over HTTP uses all. */
const ended = [
  'the token of a personal access token that was deleted',
  'a personal access token past its time',
  'their personal access token of a user who was suspended',
  'the OAuth2 token of an access token that was revoked',
  'an OAuth2 token past its time',
  'their OAuth2 token of a user who was suspended',
] as const;

void onDatabase(t).test('every operation with every kind of token', { timeout: 240_000 }, async (t) => {
  const door = databaseDoor();
  const forge = await startTestForge(t, {
    definitions: [door.definition],
    configuration: { settings: { 'oauth2.dcr.enabled': true } },
  });
  const admin = await forge.administrator();
  for (const visibility of visibilities) {
    expected(await admin.post('/api/v1/repos', { body: { name: visibility, visibility } }), 201, 'a repository');
    const body = { message: 'Begin', content: 'IyBPbmUK' };
    expected(await admin.put(`/api/v1/repos/admin/${visibility}/contents/README.md`, { body }), 201, 'a file');
  }
  const app = await makeApp(admin, { scopes: oauthScopes });
  const owner = holder(forge, app, 'the owner', admin);
  const stranger = holder(forge, app, 'a stranger', (await forge.createUser('stranger')).client);

  // Every operation gives these tokens the same answer.
  const bound = await tokensFor(forge, admin, app, {
    scope: oauthScopes.join(' '),
    resource: `${forge.url}/api/v1/mcp/admin/public`,
  });
  const dead = await endedCredentials(forge, door);
  const alike = [
    ['an OAuth2 token bound elsewhere', bound.access_token, '403 invalid_audience'] as const,
    ...ended.map((what) => [what, dead.get(what) ?? '', '401 unauthorized'] as const),
  ].map(([what, token, told]): Column => ({ what, holder: owner, client: async () => forge.as(token), told }));

  const faults: string[] = [];
  /** Operations that refuse the owner's session. A token with the same answer as that session would prove nothing. */
  const closed = new Set<string>();
  const used = new Set<string>();
  let asked = 0;

  /** Each column uses one of the two repositories, alternating by `turn`, so that the whole walk covers both. */
  const walk = async ({ method, path, hasJsonBody }: Operation, door: Door, turn: number): Promise<void> => {
    const values = { owner: 'admin', username: 'stranger', user: 'stranger', path: 'README.md', ref: 'main' };
    const places = [...new Set(visibilities.map((repo) => fill(path, { ...values, repo })))];
    // An unknown member makes the request change nothing, and a permitted caller gets an error about it.
    const options = { headers: { accept: '*/*' }, ...(hasJsonBody && { body: { nothing: 1 } }) };
    const ask = async (client: Client, at: string): Promise<Told> => toldBy(await client.request(method, at, options));
    const ofSession = new Map<string, Promise<Told>>();
    const toSession = ({ who, session }: Holder, at: string): Promise<Told> => {
      const told = ofSession.get(`${who} ${at}`) ?? ask(session, at);
      ofSession.set(`${who} ${at}`, told);
      return told;
    };
    const row = [
      ...columns(door, owner),
      // A token of the stranger is only informative if its scope is sufficient.
      ...columns(door, stranger).filter(({ told }) => told === undefined),
      ...alike,
    ];
    await Promise.all(
      row.map(async ({ what, client, holder, told }, column) => {
        const at = places[(turn + column) % places.length] ?? '';
        const wanted = told ?? (await toSession(holder, at));
        const got = await ask(await client(), at);
        asked += 1;
        if (got !== wanted) faults.push(`${method} ${at}, ${what}: expected ${wanted}, got ${got}`);
        if (holder === owner && told === undefined && /^40[13] /.test(wanted)) closed.add(`${method} ${path}`);
      }),
    );
  };

  const operations = forge.contract.operations.filter((operation) => !readsOwnCredentials(operation));
  for (const [turn, operation] of operations.entries()) {
    const found = doorOf(operation.method, operation.path);
    if (found === undefined) faults.push(`${operation.method} ${operation.path}: served, and not in the table`);
    else {
      used.add(found.line);
      await walk(operation, found.door, turn);
    }
  }
  t.strictSame(faults, []);
  t.strictSame(
    [...closed],
    ['POST /api/v1/auth/refresh'],
    'the owner may use every operation except refresh, which needs a cookie',
  );
  t.strictSame(
    lines.filter((line) => !used.has(line)),
    [],
    'every row of the table matches an operation',
  );
  t.ok(asked > 10 * operations.length, `${asked} requests to ${operations.length} operations`);
});
