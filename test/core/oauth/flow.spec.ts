// OAuth2 use cases on in-memory stores with a settable clock: expiry, limits, replays and key rotation.
import t from 'tap';
import { rsaSigner, sha256Digests } from '#adapters/crypto/oauth';
import { aesSealer } from '#adapters/crypto/sealer';
import { fixedClock, openMemory } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import { identityScopes, reservedScopes, type AccountClaims } from '#core/identity/index';
import type { AuditEntry } from '#core/kernel/services/audit';
import { anonymous, type Call, type User } from '#core/kernel/caller';
import { Unavailable } from '#core/kernel/errors';
import { scopeCatalogue } from '#core/kernel/access/scopes';
import type { Settings } from '#core/kernel/services/settings';
import { oauthScopes, oauthSettings, type KeptKey } from '#core/oauth/index';
import { oauthUseCases } from '#core/oauth/use-cases';
import { repositoryScopes } from '#core/repositories/index';
import { memoryRows } from '#adapters/memory/rows';
import { memoryClientStore } from '#plugins/oauth-server/applications/store';
import { memoryGrantStore } from '#plugins/oauth-server/grants/store';
import { memoryIssuedStore } from '#plugins/oauth-server/token/store-memory';
import { quietLog } from '#test/contracts/storage/storage-engines';

const account: AccountClaims = {
  id: '00000000-0000-4000-8000-000000000001',
  username: 'ada',
  displayName: 'Ada',
  avatarUrl: '',
  email: 'ada@example.org',
  emailVerified: true,
  updatedAt: new Date(0),
};
const day = 86_400;

/** @param set settings that differ from their defaults. */
function world(set: Readonly<Record<string, unknown>> = {}) {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const storage = openMemory({ clock, ids: systemIds, log: quietLog });
  const { database } = storage;
  const settings: Settings = {
    get: async (key) => (set[key] ?? oauthSettings.find((setting) => setting.key === key)?.default) as never,
  };
  const standing = { blocked: false };
  /** Runs once, after the client of a request was read and before its grant is stored. */
  const inBetween: { work: (() => Promise<void>) | undefined } = { work: undefined };
  const entries: AuditEntry[] = [];
  /** Which part fails as if the database or the key were unavailable. */
  const gone = { key: false, signer: false, noting: false };
  const away = (): never => {
    throw new Unavailable('away');
  };
  const clients = memoryClientStore(database);
  const sealer = aesSealer(new Uint8Array(32));
  const warned: string[] = [];
  const signedIn = clock.now();
  const oauth = oauthUseCases({
    clients: {
      ...clients,
      update: async (where, changes) =>
        gone.noting && 'lastUsedAt' in changes ? away() : clients.update(where, changes),
    },
    grants: memoryGrantStore(database),
    issued: memoryIssuedStore(database),
    keys: memoryRows(database.table<KeptKey>('oauth_server_key', { key: 'id' }), ({ id }) => id),
    digests: sha256Digests,
    signer: { ...rsaSigner, sign: async (key, claims) => (gone.signer ? away() : rsaSigner.sign(key, claims)) },
    sealer: { ...sealer, open: (sealed, about) => (gone.key ? away() : sealer.open(sealed, about)) },
    users: {
      byUsername: async () => account,
      byUsernames: async () => [account],
      byIds: async () => new Map(),
      administrators: async () => new Set(),
      active: async (ids) => new Set(ids),
      email: async () => '',
    },
    vouching: {
      claims: async () => account,
      held: async () => (standing.blocked ? undefined : account),
      async signedInAt() {
        const { work } = inBetween;
        inBetween.work = undefined;
        await work?.();
        return signedIn;
      },
    },
    standing: () => ({ of: async () => ({ kind: 'user', id: account.id, username: 'ada', isAdmin: false }) }),
    adminGrants: () => undefined,
    trail: () => undefined,
    scopes: scopeCatalogue([...identityScopes, ...reservedScopes, ...repositoryScopes, ...oauthScopes]),
    settings,
    rateCounter: memoryRateCounter(),
    audit: { append: async (entry) => void entries.push(entry) },
    events: { emit: async () => 'event' },
    locks: storage.locks,
    log: { ...quietLog, warn: (_members, message) => void warned.push(message) },
    unitOfWork: storage.unitOfWork,
    clock,
    ids: systemIds,
    baseUrl: 'https://forge.example',
    webUrl: 'https://forge.example',
  });
  const caller: User = {
    kind: 'user',
    id: account.id,
    username: 'ada',
    isAdmin: false,
    credential: { kind: 'session', id: 'session', scopes: 'all', via: 'bearer' },
  };
  const call = <C extends User | typeof anonymous>(of: C): Call<C> => ({
    caller: of,
    requestId: 'r',
    ip: '192.0.2.1',
    userAgent: '',
    signal: new AbortController().signal,
    now: clock.now(),
    renew: async () => call(of),
  });
  return {
    clock,
    oauth,
    standing,
    inBetween,
    entries,
    gone,
    warned,
    asUser: () => call(caller),
    asClient: () => call(anonymous),
  };
}

const verifier = 'v'.repeat(43);
const redirectUri = 'https://app.example/cb';

async function begun() {
  const made = world();
  const { oauth, asUser, asClient } = made;
  const { client, secret } = await oauth.applications.create(asUser(), {
    name: 'Notes',
    description: '',
    homepageUrl: '',
    logoUrl: '',
    redirectUris: [redirectUri],
    scopes: ['read:user', 'openid'],
    confidential: true,
  });
  const proof = { authorization: undefined, clientId: client.clientId, clientSecret: secret };
  const request = {
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: sha256Digests.challenge(verifier),
    code_challenge_method: 'S256',
  };
  const code = async (over: object = {}, remember = 'false'): Promise<string> => {
    const answer = await oauth.authorization.decide(asUser(), { ...request, ...over }, { decision: 'allow', remember });
    if (answer.outcome !== 'answered') throw new Error('no code');
    return new URL(answer.url).searchParams.get('code') ?? '';
  };
  const exchange = (secretCode: string) =>
    oauth.token(asClient(), proof, {
      grant_type: 'authorization_code',
      code: secretCode,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  const refresh = (token: string | undefined) =>
    oauth.token(asClient(), proof, {
      grant_type: 'refresh_token',
      ...(token !== undefined && { refresh_token: token }),
    });
  return { ...made, request, code, exchange, refresh };
}

void t.test('an application that changes between the request and the grant is asked about again', async (t) => {
  const { oauth, request, asUser, inBetween } = await begun();
  const change = async (): Promise<void> => {
    const [client] = (await oauth.applications.list(asUser(), all)).items;
    await oauth.applications.update(asUser(), { id: client?.id ?? '', scopes: ['read:user'] });
  };
  const decide = () =>
    oauth.authorization.decide(asUser(), request, { decision: 'allow', remember: 'true', scope: 'read:user openid' });
  inBetween.work = change;
  t.equal((await decide()).outcome, 'asked');
  t.strictSame((await oauth.grants.list(asUser(), all)).items, []);
});

void t.test('a code is valid for ten minutes', async (t) => {
  const { clock, code, exchange } = await begun();
  const [early, late] = [await code(), await code()];
  clock.advance(599_999);
  t.ok((await exchange(early)).accessToken);
  clock.advance(1);
  await t.rejects(exchange(late), { code: 'invalid_grant' });
});

const mcp = (name: string): object => ({ resource: `https://forge.example/api/v1/mcp/${name}` });
const all = { page: 1, perPage: 2000 };

void t.test('a resource has one grant however it is spelled, and remembered consent applies to it', async (t) => {
  const { oauth, request, asUser, code } = await begun();
  for (const name of ['Ada/Notes', 'ada/notes', 'ADA/NOTES']) await code(mcp(name), 'true');
  const { items } = await oauth.grants.list(asUser(), all);
  t.match(items, [{ grant: mcp('ada/notes') }]);
  t.equal(items.length, 1);
  t.equal((await oauth.authorization.ask(asUser(), { ...request, ...mcp('adA/noteS') })).outcome, 'answered');
});

void t.test('a user has at most 1,000 grants: the least recently used is deleted for a new one', async (t) => {
  const { oauth, entries, clock, request, asUser, code, exchange, refresh } = await begun();
  const remembers = async (name: string) =>
    (await oauth.authorization.ask(asUser(), { ...request, ...mcp(name) })).outcome === 'answered';
  const first = await exchange(await code(mcp('ada/used')));
  const idle = await exchange(await code(mcp('ada/idle'), 'true'));
  for (let count = 2; count < 1000; count += 1) {
    clock.advance(1);
    await code(mcp(`ada/${count}`), 'true');
  }
  const { refreshToken } = await refresh(first.refreshToken);
  clock.advance(1);
  entries.length = 0;
  await code(mcp('ada/2'), 'true');
  t.strictSame(
    entries.map(({ action }) => action),
    ['oauth_grant.approved'],
    'an existing grant needs no room',
  );
  await code(mcp('ada/more'), 'true');
  t.match(entries.slice(1), [
    { action: 'oauth_grant.revoked', details: { client_id: request.client_id, ...mcp('ada/idle'), dropped: true } },
    { action: 'oauth_grant.approved' },
  ]);
  t.equal((await oauth.grants.list(asUser(), all)).total, 1000);
  t.equal(await oauth.reader.read(idle.accessToken, clock.now()), undefined);
  t.notOk(await remembers('ada/idle'));
  t.ok((await refresh(refreshToken)).accessToken, 'it was used');
  for (const name of ['ada/2', 'ada/3', 'ada/more']) t.ok(await remembers(name), name);
});

void t.test('an application has at most 100 token chains per user: the oldest is deleted for a new one', async (t) => {
  const { clock, code, exchange, refresh } = await begun();
  const made = [];
  for (let count = 0; count < 102; count += 1) {
    clock.advance(1000);
    made.push(await exchange(await code(mcp(`ada/${count % 2}`))));
  }
  const good = await Promise.all(
    made.map(({ refreshToken }) =>
      refresh(refreshToken).then(
        () => true,
        () => false,
      ),
    ),
  );
  t.strictSame(good, [false, false, ...Array.from({ length: 100 }, () => true)]);
});

void t.test('a user who must sign in, first or again, is asked to unless prompt=none', async (t) => {
  const { clock, oauth, request, asUser, asClient } = await begun();
  const ask = async (over: object, call: () => Call = asUser) => {
    const answer = await oauth.authorization.ask(call(), { ...request, ...over });
    if (answer.outcome !== 'refused') return answer.outcome;
    return `${new URL(answer.url).searchParams.get('error')}${answer.signIn ? ', sign in' : ''}`;
  };
  t.equal(await ask({}, asClient), 'login_required, sign in');
  t.equal(await ask({ prompt: 'none' }, asClient), 'login_required');
  t.equal(await ask({ scope: 'x' }, asClient), 'invalid_scope', 'an error is returned without a sign-in');
  clock.advance(120_000);
  for (const over of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }, { max_age: '120' }])
    t.equal(await ask(over), 'asked', JSON.stringify(over));
  t.equal(await ask({ prompt: 'login', max_age: '119' }), 'login_required, sign in');
  t.equal(await ask({ prompt: 'none', max_age: '0' }), 'login_required');
  t.equal(await ask({ prompt: 'none' }), 'consent_required');
  clock.advance(1);
  for (const over of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }, { max_age: '120' }])
    t.equal(await ask(over), 'login_required, sign in', JSON.stringify(over));
  t.equal(await ask({ max_age: '121' }), 'asked');
});

void t.test(
  'an access token expires after an hour, an unused refresh token after 30 days, a token chain after 90 days',
  async (t) => {
    const { clock, oauth, code, exchange, refresh } = await begun();
    const first = await exchange(await code());
    const read = () => oauth.reader.read(first.accessToken, clock.now());
    clock.advance(3_599_000);
    t.match(await read(), { username: 'ada', credential: { kind: 'oauth', scopes: ['read:user', 'openid'] } });
    clock.advance(1000);
    t.equal(await read(), undefined);
    clock.advance((30 * day - 3600) * 1000);
    await t.rejects(refresh(first.refreshToken), { code: 'invalid_grant' }, 'thirty days unused');

    let { refreshToken } = await exchange(await code());
    for (const days of [29, 29, 29]) {
      clock.advance(days * day * 1000);
      ({ refreshToken } = await refresh(refreshToken));
    }
    clock.advance(4 * day * 1000);
    await t.rejects(refresh(refreshToken), { code: 'invalid_grant' }, 'ninety days in total');
  },
);

void t.test('a replay revokes the token chain also while the account may not sign in', async (t) => {
  const { clock, oauth, standing, code, exchange, refresh } = await begun();
  const first = await exchange(await code());
  const second = await refresh(first.refreshToken);
  standing.blocked = true;
  await t.rejects(refresh(second.refreshToken), { message: /unknown, expired or revoked/ });
  t.ok(await oauth.reader.read(second.accessToken, clock.now()), 'a rejected refresh is not a replay');
  await t.rejects(refresh(first.refreshToken), { message: 'refresh token reuse detected' });
  standing.blocked = false;
  t.equal(await oauth.reader.read(second.accessToken, clock.now()), undefined);
  await t.rejects(refresh(second.refreshToken), { code: 'invalid_grant' });
});

void t.test('a code and a refresh token remain valid if the ID token could not be signed', async (t) => {
  const { gone, code, exchange, refresh } = await begun();
  const begin = await code();
  const failing = async (of: 'key' | 'signer', work: () => Promise<unknown>): Promise<void> => {
    gone[of] = true;
    await t.rejects(work(), { message: 'away' }, of);
    gone[of] = false;
  };
  await failing('key', () => exchange(begin));
  await failing('signer', () => exchange(begin));
  const first = await exchange(begin);
  t.ok(first.idToken);
  await failing('key', () => refresh(first.refreshToken));
  await failing('signer', () => refresh(first.refreshToken));
  const second = await refresh(first.refreshToken);
  t.ok(second.idToken);
  gone.key = true;
  await t.rejects(exchange(begin), { code: 'invalid_grant' }, 'a replay is detected without a key too');
  gone.key = false;
  await t.rejects(refresh(second.refreshToken), { code: 'invalid_grant' }, 'and revokes the token chain');
});

void t.test('tokens are issued even if the last use of their client cannot be recorded', async (t) => {
  const { gone, warned, code, exchange } = await begun();
  gone.noting = true;
  t.ok((await exchange(await code())).refreshToken);
  t.strictSame(warned, ['the use of a client could not be noted']);
});

void t.test('a self-registered client is deleted after 30 days without a token, a used one is kept', async (t) => {
  const { clock, oauth, asUser, asClient } = world({ 'oauth2.dcr.enabled': true });
  const made = async () =>
    (await oauth.registration.register(asClient(), { redirect_uris: ['http://127.0.0.1/cb'] })).client;
  const [unused, used] = [await made(), await made()];
  const ask = (clientId: string) =>
    oauth.authorization.decide(
      asUser(),
      {
        client_id: clientId,
        redirect_uri: 'http://127.0.0.1:5/cb',
        response_type: 'code',
        code_challenge: sha256Digests.challenge(verifier),
        code_challenge_method: 'S256',
      },
      { decision: 'allow' },
    );
  const use = async (): Promise<void> => {
    const answer = await ask(used.clientId);
    if (answer.outcome !== 'answered') throw new Error('no code');
    const fields = {
      grant_type: 'authorization_code',
      code: new URL(answer.url).searchParams.get('code') ?? '',
      redirect_uri: 'http://127.0.0.1:5/cb',
      code_verifier: verifier,
    };
    await oauth.token(
      asClient(),
      { authorization: undefined, clientId: used.clientId, clientSecret: undefined },
      fields,
    );
  };
  clock.advance(29 * day * 1000);
  await use();
  await oauth.upkeep();
  t.equal((await ask(unused.clientId)).outcome, 'answered', 'not yet');
  clock.advance(day * 1000);
  await oauth.upkeep();
  await t.rejects(ask(unused.clientId), { code: 'invalid_client' });
  t.equal((await ask(used.clientId)).outcome, 'answered');
});

void t.test('an administrator deleted in the meantime cannot register a client', async (t) => {
  const { oauth, standing, asUser } = world({ 'oauth2.dcr.enabled': true });
  const call = asUser();
  const register = () =>
    oauth.registration.register(
      { ...call, caller: { ...call.caller, isAdmin: true } },
      { redirect_uris: ['https://app.example/cb'], token_endpoint_auth_method: 'client_secret_basic' },
    );
  t.match(await register(), { secret: /^\w{43}$/, client: { ownerId: account.id } });
  standing.blocked = true;
  await t.rejects(register(), { code: 'unauthorized' });
});

void t.test('keys: one is made when needed, two are published during a rotation, one after it', async (t) => {
  const { clock, oauth } = world();
  const published = async () => (await oauth.keys.published(clock.now())).map(({ kid }) => kid);
  await oauth.upkeep();
  const [first] = await published();
  t.strictSame(await published(), [first]);
  clock.advance(29 * day * 1000);
  await oauth.upkeep();
  t.strictSame(await published(), [first], 'young enough');
  clock.advance(day * 1000);
  await oauth.upkeep();
  const both = await published();
  t.equal(both.length, 2);
  t.equal(both[1], first);
  const [head = ''] = (await (await oauth.keys.signing(clock.now()))({})).split('.');
  t.match(JSON.parse(Buffer.from(head, 'base64url').toString()), { kid: both[0], alg: 'RS256' }, 'the new one signs');
  clock.advance(2 * day * 1000);
  await oauth.upkeep();
  t.strictSame(await published(), both.slice(0, 1));
  await oauth.keys.rotate(clock.now(), true);
  t.equal((await published()).length, 2, 'immediately, if requested');
  await oauth.keys.rotate(clock.now(), true);
  const three = await published();
  t.equal(three.length, 3, 'signatures of all of them may still be valid');
  clock.advance(2 * day * 1000);
  await oauth.upkeep();
  t.strictSame(await published(), three.slice(0, 1));
});
