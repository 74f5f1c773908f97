// Compares our authorization server with oidc-provider, a certified one: the same requests must give the same status,
// error, challenge and Cache-Control. Intended differences are listed beside the request with their reason.
import t from 'tap';
import { databaseDoor } from '#test/support/servers/database-door';
import { startTestForge } from '#test/support/forge';
import { onDatabase } from '#test/support/marks';
import { codeFor, makeApp, paths } from '../flow.ts';
import { everywhere, shared, type Party, type Told } from './oracle-requests.ts';
import { oracleClients, oracleRegistrar, startOracle } from './oracle.ts';

type Teardown = Parameters<typeof startTestForge>[0];

async function ourParty(t: Teardown): Promise<Party> {
  const door = databaseDoor();
  const forge = await startTestForge(t, {
    configuration: { settings: { 'oauth2.dcr.enabled': true } },
    definitions: [door.definition],
  });
  const administrator = await forge.signIn(forge.admin.username, forge.admin.password);
  const { client: user, username, password } = await forge.createUser('visitor');
  const session = { authorization: `Bearer ${(await forge.signIn(username, password)).token}` };
  const over = { scopes: ['openid', 'profile'] };
  const [app, other] = [await makeApp(user, over), await makeApp(user, over)];
  const open = await makeApp(user, { ...over, confidential: false });
  const apps = new Map([app, other, open].map((one) => [one.clientId, one]));
  return {
    base: forge.url,
    path: paths,
    id: app.clientId,
    secret: app.secret ?? '',
    otherId: other.clientId,
    otherSecret: other.secret ?? '',
    openId: open.clientId,
    otherScope: 'profile',
    session,
    registrar: { authorization: `Bearer ${administrator.token}` },
    async fresh(id = app.clientId, scope = 'openid') {
      const { code, keys } = await codeFor(user, apps.get(id) ?? app, { scope });
      return { code, verifier: keys.verifier };
    },
    denied: (asked) => Promise.resolve(asked),
    async broken(work) {
      await door.run('alter table oauth_server_family add constraint broken check (false) not valid');
      try {
        return await work();
      } finally {
        await door.run('alter table oauth_server_family drop constraint broken');
      }
    },
  };
}

async function theirParty(t: Teardown): Promise<Party> {
  const oracle = await startOracle(t);
  const { confidential, other, open } = oracleClients;
  const cookie = await oracle.session();
  return {
    base: oracle.url,
    path: {
      token: '/token',
      revoke: '/token/revocation',
      introspect: '/token/introspection',
      userinfo: '/me',
      register: '/reg',
      authorize: '/auth',
    },
    id: confidential.id,
    secret: confidential.secret,
    otherId: other.id,
    otherSecret: other.secret,
    openId: open.id,
    otherScope: 'offline_access',
    session: { cookie },
    registrar: { authorization: `Bearer ${oracleRegistrar}` },
    async fresh(id = confidential.id, scope) {
      const { code, keys } = await oracle.code(id, scope);
      return { code, verifier: keys.verifier };
    },
    denied: (asked) => oracle.deny(asked, cookie),
    broken: (work) => oracle.broken(work),
  };
}

const attribute = (challenge: string, name: string): string | null =>
  new RegExp(`[ ,]${name}="([^"]*)"`).exec(challenge)?.[1] ?? null;

async function told(response: Response): Promise<Told> {
  const text = await response.text();
  const body = (/^[{]/.test(text) ? JSON.parse(text) : {}) as Readonly<Record<string, string | undefined>>;
  const challenge = response.headers.get('www-authenticate');
  const [scheme] = challenge?.split(' ') ?? [];
  const location = response.headers.get('location') ?? body['redirect_url'];
  const back = location === undefined ? undefined : new URL(location, response.url);
  const scope = challenge === null ? null : attribute(challenge, 'scope');
  return {
    status: response.status,
    error:
      challenge !== null && scheme === 'Bearer'
        ? attribute(challenge, 'error')
        : back === undefined
          ? (body['error'] ?? null)
          : new URLSearchParams(back.search || back.hash.slice(1)).get('error'),
    challenge: challenge === null ? null : [scheme, ...(scope === null ? [] : [scope])].join(' '),
    cache: response.headers.get('cache-control'),
    body: body['error'] === undefined ? 'other' : body['error_code'] === undefined ? 'error' : 'envelope',
  };
}

const holds = (answer: Told, members: Partial<Told>): boolean =>
  Object.entries(members).every(([name, value]) => answer[name as keyof Told] === value);

void onDatabase(t).test(
  'answers are those of oidc-provider, except for the listed differences',
  { timeout: 300_000 },
  async (t) => {
    const [ours, theirs] = [await ourParty(t), await theirParty(t)];
    const requests = Object.entries(shared).flatMap(([endpoint, ofIt]) =>
      Object.entries(ofIt).map(([what, request]) => ({ endpoint, what, request })),
    );
    const needed = new Set<object>();
    /** Endpoint and error for errors that both servers report. */
    const refusals: string[] = [];
    for (const { endpoint, what, request } of requests) {
      const { send, ours: differing = {} } = typeof request === 'function' ? { send: request } : request;
      const [mine, its] = [await told(await send(ours)), await told(await send(theirs))];
      const general = everywhere.filter((rule) => holds(its, rule.theirs) && holds(mine, rule.ours));
      for (const rule of general) needed.add(rule);
      const alike = { ...its, ...Object.assign({}, ...general.map((rule) => rule.ours)) } as Told;
      t.strictSame(mine, { ...alike, ...differing }, `${endpoint}: ${what}`);
      for (const [name, value] of Object.entries(differing))
        t.not(alike[name as keyof Told], value, `${endpoint}: ${what}: ${name} differs`);
      if (mine.error !== null && mine.error === its.error) refusals.push(`${endpoint} ${mine.error}`);
    }
    t.equal(needed.size, everywhere.length, 'every listed difference occurs');
    const pairs = [...new Set(refusals)].toSorted();
    // `pairs` counts GET and POST authorize as two endpoints, `byPath` as one; the smaller count must suffice.
    const byPath = new Set(pairs.map((pair) => pair.replace(/^(GET|POST) /, '')));
    t.comment(`${requests.length} requests, ${refusals.length} refused alike: ${pairs.join(', ')}`);
    t.ok(requests.length >= 40, `shared requests: ${requests.length}`);
    t.ok(byPath.size >= 28, `refusals with distinct endpoint and error: ${pairs.length}, by path ${byPath.size}`);
  },
);
