// Access walk of git over HTTP: fetch and push with every kind of credential, as a Basic password and as a bearer
// token, on a public, a private and a missing repository, with real packs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge, type TestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';
import { endedCredentials } from '../oauth-server/ended-credentials.ts';
import { expected, makeApp, tokensFor } from '../oauth-server/flow.ts';
import { allBut, oauthScopes, patScopes, type TokenScope } from '../oauth-server/scope-table.ts';

const places = ['public', 'private', 'missing'] as const;
type Place = (typeof places)[number];

// The outcomes for the public, the private and the missing repository; `+` means that the pack was sent or accepted.
const done = '+ + 404';
const scope = 'insufficient_scope insufficient_scope insufficient_scope';
const audience = 'invalid_audience invalid_audience invalid_audience';
const challenged = '401 401 401';

/** The outcomes of a fetch and of a push, each on the three repositories. */
type Line = readonly [fetch: string, push: string];
const all: Line = [done, done];
const read: Line = [done, scope];
const none: Line = [scope, scope];
/** Reading a public repository needs no credential, but a bad credential is 401. */
const nobody: Line = ['+ 401 401', challenged];
const ended: Line = [challenged, challenged];
/** A scope gives no permission: 404 for a caller who may not read, 403 for one who may read but not push. */
const stranger: Line = ['+ 404 404', '403 404 404'];
/** docs/api/decisions.md, "Signing in": reported only after the right password. */
const suspended: Line = [
  'account_suspended account_suspended account_suspended',
  'account_suspended account_suspended account_suspended',
];
const reader: Line = [done, '403 403 404'];

interface Credential {
  readonly what: string;
  /** Undefined: no credential is sent. */
  readonly secret: string | undefined;
  readonly line: Line;
  /** A password cannot be sent as a bearer token. */
  readonly via: readonly ('basic' | 'bearer')[];
  /** With a token any username is accepted; clients send that of its user. */
  readonly username: string;
}

const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** The commits to fetch and to push. */
interface Goods {
  readonly work: StockGit;
  readonly tip: string;
  readonly next: string;
  /** The pack of both commits. */
  readonly pack: Buffer;
}

async function goods(t: Test): Promise<Goods> {
  const work = await workTree(await stockGit(t), 'work');
  const tip = await work.commit('One', { 'README.md': 'one\n' });
  await work.git('branch', 'tip');
  const next = await work.commit('Two', { 'README.md': 'two\n' });
  const name = (await work.git('pack-objects', '--all', '--quiet', 'walked')).trim();
  return { work, tip, next, pack: await readFile(join(work.folder, `walked-${name}.pack`)) };
}

/** One of the four requests that make up a fetch and a push. */
interface Row {
  readonly what: string;
  readonly service: 'fetch' | 'push';
  ask(client: Client, repository: string): Promise<Answer>;
  /** Matches the answer if the request succeeded. */
  readonly proof: RegExp;
}

function rows({ tip, next, pack }: Goods): readonly Row[] {
  let pushes = 0;
  const advertised = (service: string) => (client: Client, repository: string) =>
    client.get(`${repository}/info/refs?service=${service}`);
  const sent = (service: string, body: () => Uint8Array) => (client: Client, repository: string) =>
    client.post(`${repository}/${service}`, {
      raw: body(),
      headers: { 'content-type': `application/x-${service}-request` },
    });
  const refs = new RegExp(`${tip} refs/heads/main`);
  return [
    { what: 'the refs to fetch', service: 'fetch', ask: advertised('git-upload-pack'), proof: refs },
    {
      what: 'a fetch',
      service: 'fetch',
      ask: sent('git-upload-pack', () => Buffer.from(`${line(`want ${tip}\n`)}0000${line('done\n')}`)),
      proof: /^0008NAK\nPACK/,
    },
    { what: 'the refs to push', service: 'push', ask: advertised('git-receive-pack'), proof: refs },
    {
      what: 'a push',
      service: 'push',
      ask: sent('git-receive-pack', () => {
        const command = `${'0'.repeat(40)} ${next} refs/heads/walked-${(pushes += 1)}\0 report-status`;
        return Buffer.concat([Buffer.from(`${line(command)}0000`), pack]);
      }),
      proof: /unpack ok\n[0-9a-f]{4}ok refs\/heads\/walked-/,
    },
  ];
}

function outcome({ status, headers, body, text }: Answer, proof: RegExp): string {
  if (status === 200) return proof.test(text) ? '+' : `200 with ${text.slice(0, 100)}`;
  const challenge = headers.get('www-authenticate');
  if (status === 401) return challenge === 'Basic realm="hexforge"' ? '401' : `401 with the challenge ${challenge}`;
  const code = (body as { readonly error_code?: string } | undefined)?.error_code ?? '';
  return status === 403 && code !== 'forbidden' ? code : `${status}`;
}

/** Alice's repositories with `tip` on main, which the reader may read, and the credentials of everybody. */
async function stage(t: Test, { work }: Goods): Promise<{ forge: TestForge; credentials: readonly Credential[] }> {
  const door = databaseDoor();
  const forge = await startTestForge(t, { definitions: [door.definition] });
  const [alice, other, guest] = [
    await forge.createUser('alice'),
    await forge.createUser('stranger'),
    await forge.createUser('reader'),
  ];
  for (const visibility of ['public', 'private']) {
    expected(await alice.client.post('/api/v1/repos', { body: { name: visibility, visibility } }), 201, 'creating');
    await work.git('push', '--quiet', remote(forge.url, `alice/${visibility}`, alice), 'tip:main');
    const collaborator = `/api/v1/repos/alice/${visibility}/collaborators/reader`;
    expected(await alice.client.put(collaborator, { body: { role: 'read' } }), 204, 'adding the reader');
  }
  const app = await makeApp(await forge.administrator(), { scopes: oauthScopes });
  const pat = async (client: Client, scopes: readonly TokenScope[]) => (await forge.pat(client, scopes)).token;
  const oauth = async (client: Client, scopes: readonly TokenScope[], over = {}) =>
    (await tokensFor(forge, client, app, { scope: scopes.join(' '), ...over })).access_token;

  const both = ['basic', 'bearer'] as const;
  const credential = (
    what: string,
    secret: string | undefined,
    line: Line,
    via: Credential['via'] = both,
    username = 'alice',
  ): Credential => ({ what, secret, line, via, username });
  const { client } = alice;
  return {
    forge,
    credentials: [
      credential('nothing', undefined, nobody, ['bearer']),
      credential('the password', alice.password, all, ['basic']),
      credential('a session', (await forge.signIn('alice', alice.password)).token, all),
      credential('a PAT without scopes', await pat(client, []), none),
      credential('a PAT without the scopes of repositories', await pat(client, allBut(patScopes, 'repo:read')), none),
      credential('a PAT that may not write', await pat(client, allBut(patScopes, 'repo:write')), read),
      credential('a PAT, repo:read', await pat(client, ['repo:read']), read),
      credential('a PAT, repo:write', await pat(client, ['repo:write']), all),
      credential('OAuth2 without repositories', await oauth(client, allBut(oauthScopes, 'read:repo')), none),
      credential('OAuth2 that may not write', await oauth(client, allBut(oauthScopes, 'write:repo')), read),
      credential('OAuth2, read:repo', await oauth(client, ['read:repo']), read),
      credential('OAuth2, write:repo', await oauth(client, ['write:repo']), all),
      credential('OAuth2, admin:repo', await oauth(client, ['admin:repo']), all, ['basic']),
      credential(
        'OAuth2 bound elsewhere',
        await oauth(client, oauthScopes, { resource: `${forge.url}/api/v1/mcp/alice/public` }),
        [audience, audience],
      ),
      credential("a stranger's PAT", await pat(other.client, patScopes), stranger),
      credential("a stranger's OAuth2 token", await oauth(other.client, oauthScopes), stranger),
      credential("a reader's PAT", await pat(guest.client, patScopes), reader),
      credential("a reader's OAuth2 token", await oauth(guest.client, oauthScopes), reader),
      credential('the password of a suspended user', 'password of suspended', suspended, ['basic'], 'suspended'),
      credential('an invalid token', `svc_${'x'.repeat(36)}`, ended, ['bearer']),
      ...[...(await endedCredentials(forge, door))].map(([what, token]) => credential(what, token, ended)),
    ],
  };
}

void onDatabase(t).test('fetch and push with every kind of credential', { timeout: 240_000 }, async (t) => {
  const wares = await goods(t);
  const { forge, credentials } = await stage(t, wares);
  const sending = ({ secret, username }: Credential, via: 'basic' | 'bearer'): Client => {
    if (secret === undefined) return forge.anonymous;
    if (via === 'bearer') return forge.as(secret);
    const pair = Buffer.from(`${username}:${secret}`).toString('base64');
    return forge.anonymous.with({ authorization: `Basic ${pair}` });
  };
  const requests = rows(wares);
  const faults: string[] = [];
  const pushed: Record<Place, number> = { public: 0, private: 0, missing: 0 };
  for (const credential of credentials)
    for (const how of credential.via)
      await Promise.all(
        places.map(async (place, column) => {
          for (const { what: request, service, ask, proof } of requests) {
            const wanted = credential.line[service === 'fetch' ? 0 : 1].split(' ')[column];
            const told = outcome(await ask(sending(credential, how), `/alice/${place}.git`), proof);
            if (told !== wanted)
              faults.push(`${credential.what} as ${how}, ${request}, ${place}: expected ${wanted}, got ${told}`);
            if (request === 'a push' && told === '+') pushed[place] += 1;
          }
        }),
      );
  t.strictSame(faults, []);
  for (const place of ['public', 'private'] as const) {
    const refs = await wares.work.git(
      'ls-remote',
      '--heads',
      remote(forge.url, `alice/${place}`, { username: 'alice', password: 'password of alice' }),
    );
    t.equal(refs.trim().split('\n').length, 1 + pushed[place], `${place}: a refused push moved no ref`);
    t.ok(pushed[place] > 0);
  }
});
