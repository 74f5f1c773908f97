// Every operation of the instance × every kind of token, on a public and on a private repository: without the scope,
// with it, bound elsewhere, of somebody without the permission, and ended in every way. What is expected of each stands
// in the table of scopes, which is written by hand.
import t from 'tap';
import type { Answer, Client } from '#test/support/client';
import { databaseDoor } from '#test/support/database-door';
import { startTestForge, type TestForge } from '#test/support/forge';
import type { Operation } from '#test/support/openapi';
import { fill, readsOwnCredentials } from '#test/support/walk';
import { endedCredentials } from './ended-credentials.ts';
import { expected, makeApp, tokensFor, type App } from './flow.ts';
import { allBut, doorOf, lines, oauthScopes, patScopes, type Door, type TokenScope } from './scope-table.ts';

/** How it was answered: the status, and the code of an error. */
type Told = string;
const toldBy = ({ status, body }: Answer): Told => {
  const code = (body as { readonly error_code?: string } | undefined)?.error_code;
  return code === undefined ? `${status}` : `${status} ${code}`;
};

interface Holder {
  readonly who: string;
  readonly session: Client;
  /** A token with these scopes. */
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

/** What one kind of token is to one operation. */
interface Column {
  readonly what: string;
  readonly holder: Holder;
  readonly client: () => Promise<Client>;
  /** Undefined: as the holder's session is. */
  readonly told: Told | undefined;
}

/** The scopes to ask with, and what is told. */
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

/** Without the scope and with it, where it has one. */
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

/** Of what has ended; the walk of git asks with all of it. */
const ended = [
  'the token of a personal access token that was deleted',
  'a personal access token past its time',
  'their personal access token of a user who was suspended',
  'the OAuth2 token of an access token that was revoked',
  'an OAuth2 token past its time',
  'their OAuth2 token of a user who was suspended',
] as const;

void t.test('every operation × every kind of token', { timeout: 240_000 }, async (t) => {
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

  // Answered alike by every operation, whatever it is of.
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
  /** Of the owner's sessions, and so of the tokens that are compared with them: what would prove nothing. */
  const closed = new Set<string>();
  const used = new Set<string>();
  let asked = 0;

  /** Each is asked on the one repository or on the other, so that every column meets both. */
  const walk = async ({ method, path, hasJsonBody }: Operation, door: Door, turn: number): Promise<void> => {
    const values = { owner: 'admin', username: 'stranger', user: 'stranger', path: 'README.md', ref: 'main' };
    const places = [...new Set(visibilities.map((repo) => fill(path, { ...values, repo })))];
    // Nothing is changed by a member that nothing has, and who may is told of it.
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
      // Of who lacks the permission too there is something to see where the scope does not lack.
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
  t.strictSame([...closed], ['POST /api/v1/auth/refresh'], 'the owner may all but refresh without a cookie');
  t.strictSame(
    lines.filter((line) => !used.has(line)),
    [],
    'every line of the table is of an operation',
  );
  t.ok(asked > 10 * operations.length, `${asked} requests to ${operations.length} operations`);
});
