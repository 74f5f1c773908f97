// Credentials of a request, cookies, CSRF protection, and client addresses behind proxies.
import Joi from 'joi';
import t from 'tap';
import { clientAddress, trustedProxies } from '#adapters/http/request/exchange';
import { presentedIn, readCookies } from '#adapters/http/request/credentials';
import { api, reply, type Method } from '#adapters/http/descriptor/route';
import { anyone, signedIn } from '#core/kernel/access/access';
import type { Call } from '#core/kernel/caller';
import { Forbidden } from '#core/kernel/errors';
import { authenticator, basic, bearer, startRig } from '../rig.ts';

const who = ({ caller, ip, userAgent }: Call) => ({
  name: caller.kind === 'user' ? caller.username : null,
  via: caller.kind === 'user' ? caller.credential.via : null,
  ip,
  userAgent,
});
const open = { access: anyone, scope: null, meter: 'none', summary: 'For a test', result: Joi.any() } as const;
const whoami = api({ ...open, id: 'who', method: 'GET', path: '/who', run: (call) => who(call) });
const git = api({ ...open, id: 'git', method: 'GET', path: '/git', basic: true, run: (call) => who(call) });
const mine = api({ ...open, access: signedIn, id: 'mine', method: 'GET', path: '/mine', run: (call) => who(call) });
const gitMine = api({
  ...open,
  access: signedIn,
  id: 'gitMine',
  method: 'GET',
  path: '/git-mine',
  basic: true,
  run: (call) => who(call),
});
const page = api({
  ...open,
  id: 'page',
  method: 'GET',
  path: '/page',
  cookies: true,
  run: (call, { cookies }) => ({ ...who(call), cookies: { ...cookies } }),
});

void t.test('the caller of a request', async (t) => {
  const rig = await startRig(t, [whoami, git, mine, gitMine, page]);
  const cookie = (value: string) => ({ cookie: value });
  const table: readonly (readonly [string, Record<string, string>, number, string | null])[] = [
    ['who', {}, 200, null],
    ['who', { authorization: 'Bearer good' }, 200, 'alice'],
    ['who', { authorization: 'bearer   good' }, 200, 'alice'],
    ['who', { authorization: 'Bearer bad' }, 401, null],
    ['who', { authorization: 'Bearer' }, 401, null],
    ['who', { authorization: '' }, 401, null],
    ['who', { authorization: 'Bearer good good' }, 401, null],
    ['who', { authorization: 'Digest x=y' }, 401, null],
    ['who', { authorization: 'good' }, 401, null],
    ['who', { authorization: 'Basic !!!' }, 401, null],
    ['who', { authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` }, 401, null],
    ['who', { authorization: String(basic('x', 'good')['authorization']) }, 200, 'alice'],
    ['who', { authorization: String(basic('', 'pat-read')['authorization']) }, 200, 'alice'],
    ['who', { authorization: String(basic('alice', 'pass:word')['authorization']) }, 401, null],
    ['git', { authorization: String(basic('alice', 'pass:word')['authorization']) }, 200, 'alice'],
    ['git', { authorization: String(basic('alice', 'pass')['authorization']) }, 401, null],
    ['who', cookie('svc_access_token=good'), 200, null],
    ['page', cookie('svc_access_token=good'), 200, 'alice'],
    ['page', cookie('svc_access_token="good"; other=1'), 200, 'alice'],
    ['page', cookie('svc_access_token=bad'), 200, null],
    ['page', cookie('svc_access_token='), 200, null],
    ['page', cookie('svc_access_token=good; svc_access_token=other'), 200, 'alice'],
    ['page', { ...cookie('svc_access_token=good'), authorization: 'Bearer other' }, 200, 'bob'],
    ['page', { ...cookie('svc_access_token=good'), authorization: 'Bearer bad' }, 401, null],
    ['page', cookie('=;;;a; "=\\x; svc_access_token=good; é=1'), 200, 'alice'],
    ['page', cookie('garbage'), 200, null],
  ];
  for (const [path, headers, status, name] of table) {
    const answer = await rig.call('GET', `/api/v1/${path}`, {
      headers: Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key, Buffer.from(value).toString('latin1')]),
      ),
    });
    const label = `${path} ${JSON.stringify(headers)}`;
    t.equal(answer.status, status, label);
    if (status === 200) t.match(answer.body, { name }, label);
    else t.match(answer.body, { error: 'The credential is not valid', error_code: 'unauthorized' }, label);
  }
  t.equal((await rig.call('GET', '/api/v1/mine')).headers['www-authenticate'], 'Bearer realm="hexforge"');
  t.equal((await rig.call('GET', '/api/v1/git-mine')).headers['www-authenticate'], 'Basic realm="hexforge"');
  t.equal(
    (await rig.call('GET', '/api/v1/git', { headers: bearer('bad') })).headers['www-authenticate'],
    'Basic realm="hexforge"',
  );
  t.equal(
    (await rig.call('GET', '/healthz', { headers: bearer('bad') })).status,
    401,
    'a bad credential is rejected on public routes too',
  );
});

void t.test('cookies are passed only to routes that declare them', async (t) => {
  const plain = api({ ...open, id: 'plain', method: 'GET', path: '/plain', run: (_, { cookies }) => ({ ...cookies }) });
  const rig = await startRig(t, [page, plain]);
  const headers = { cookie: 'svc_refresh_token=r; __proto__=x' };
  t.strictSame((await rig.call('GET', '/api/v1/plain', { headers })).body, {});
  t.match((await rig.call('GET', '/api/v1/page', { headers })).body, { cookies: { svc_refresh_token: 'r' } });
  t.equal(Object.getPrototypeOf(readCookies('a=b')), null);
});

void t.test('an error of the authenticator other than Unauthorized is returned', async (t) => {
  const rig = await startRig(t, [page], {
    authenticator: {
      authenticate: async () => {
        throw new Forbidden('Suspended', { code: 'account_suspended' });
      },
      renew: async (user) => user,
    },
  });
  t.match((await rig.call('GET', '/api/v1/page', { headers: { cookie: 'svc_access_token=x' } })).body, {
    error_code: 'account_suspended',
  });
});

void t.test("state changes with cookies must come from the instance's own pages", async (t) => {
  const methods: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
  const changed: string[] = [];
  const rig = await startRig(t, [
    page,
    ...methods.map((method) =>
      api({
        ...open,
        id: `change${method}`,
        method,
        path: '/change',
        cookies: true,
        run: () => {
          changed.push(method);
          return {};
        },
      }),
    ),
    api({ ...open, id: 'noCookies', method: 'POST', path: '/no-cookies', run: (call) => who(call) }),
  ]);
  const session = { cookie: 'svc_access_token=good' };
  const refresh = { cookie: 'svc_refresh_token=r' };
  const table: readonly (readonly [Record<string, string>, number])[] = [
    [session, 200],
    [{ ...session, origin: 'https://forge.example' }, 200],
    [{ ...session, origin: 'https://web.example' }, 200],
    [{ ...session, origin: 'https://evil.example' }, 403],
    [{ ...session, origin: 'https://forge.example.evil' }, 403],
    [{ ...session, origin: 'http://forge.example' }, 403],
    [{ ...session, origin: 'https://forge.example:8443' }, 403],
    [{ ...session, origin: 'null' }, 403],
    [{ ...session, origin: '' }, 403],
    [{ ...session, 'sec-fetch-site': 'same-origin' }, 200],
    [{ ...session, 'sec-fetch-site': 'none' }, 200],
    [{ ...session, 'sec-fetch-site': 'same-site' }, 403],
    [{ ...session, 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...session, origin: 'https://web.example', 'sec-fetch-site': 'cross-site' }, 200],
    [{ ...session, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ ...refresh, origin: 'https://evil.example' }, 403],
    [{ ...refresh, 'sec-fetch-site': 'cross-site' }, 403],
    [{ ...refresh, origin: 'https://forge.example' }, 200],
    [{ cookie: 'svc_access_token=bad', origin: 'https://evil.example' }, 403],
    [{ cookie: 'theme=dark', origin: 'https://evil.example' }, 200],
    [{ origin: 'https://evil.example' }, 200],
    [{ ...session, origin: 'https://evil.example', authorization: 'Bearer good' }, 200],
    [{ ...session, origin: 'https://evil.example', authorization: 'Bearer bad' }, 401],
  ];
  for (const method of methods) {
    for (const [headers, status] of table) {
      changed.length = 0;
      const answer = await rig.call(method, '/api/v1/change', { headers });
      const label = `${method} ${JSON.stringify(headers)}`;
      t.equal(answer.status, status, label);
      t.equal(changed.length, status === 200 ? 1 : 0, label);
      if (status === 403)
        t.strictSame(
          answer.body,
          {
            error: 'The request comes from another site',
            detail: 'Send it from a page of this instance, or with an Authorization header',
            error_code: 'csrf_rejected',
          },
          label,
        );
    }
  }
  t.equal(
    (await rig.call('GET', '/api/v1/page', { headers: { ...session, origin: 'https://evil.example' } })).status,
    200,
    'a read does not change state',
  );
  t.match(
    (await rig.call('POST', '/api/v1/no-cookies', { headers: { ...session, origin: 'https://evil.example' } })).body,
    { name: null },
    'a route that reads no cookies needs no protection',
  );
});

void t.test('cookies are set as the reply declares, Secure if the instance uses https', async (t) => {
  const login = api({
    ...open,
    id: 'login',
    method: 'POST',
    path: '/login',
    run: () =>
      reply(
        {},
        {
          cookies: [
            { name: 'svc_access_token', value: 'abc', sameSite: 'Lax', path: '/', maxAgeSeconds: 900 },
            { name: 'svc_refresh_token', value: '', sameSite: 'Strict', path: '/api/v1/auth', maxAgeSeconds: 900 },
          ],
        },
      ),
  });
  const secure = await startRig(t, [login]);
  t.strictSame((await secure.call('POST', '/api/v1/login')).headers['set-cookie'], [
    'svc_access_token=abc; Max-Age=900; Path=/; HttpOnly; SameSite=Lax; Secure',
    'svc_refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Strict; Secure',
  ]);
  const plain = await startRig(t, [login], { baseUrl: 'http://127.0.0.1:3000' });
  t.strictSame((await plain.call('POST', '/api/v1/login')).headers['set-cookie'], [
    'svc_access_token=abc; Max-Age=900; Path=/; HttpOnly; SameSite=Lax',
    'svc_refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Strict',
  ]);
});

void t.test('the credential in an Authorization header', async (t) => {
  t.equal(presentedIn(undefined), undefined);
  t.strictSame(presentedIn('Bearer a.b-c_d~e+f/g=='), { via: 'bearer', token: 'a.b-c_d~e+f/g==' });
  t.strictSame(presentedIn(String(basic('ä', 'p:q')['authorization'])), {
    via: 'basic',
    username: 'ä',
    password: 'p:q',
  });
  for (const bad of [
    '',
    'Bearer',
    'Bearer a,b',
    'Basic',
    'Basic YQ',
    'Token x',
    `Basic ${Buffer.from('a\0:b').toString('base64')}`,
  ])
    t.throws(() => presentedIn(bad), { message: 'The credential is not valid' }, bad);
});

void t.test('the client address, behind trusted and untrusted proxies', async (t) => {
  const proxies = trustedProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', ' ::1 ']);
  const table: readonly (readonly [string | undefined, string | undefined, string])[] = [
    ['203.0.113.9', undefined, '203.0.113.9'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['10.1.2.3', '10.9.9.9, 10.8.8.8', '10.9.9.9'],
    ['10.1.2.3', 'not an address', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1, unknown, 192.0.2.7', '192.0.2.7'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['fd00::1', '[2001:DB8::1]:443', '2001:db8::1'],
    ['::1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['fe80::1%eth0', '1.2.3.4', 'fe80::1'],
    [undefined, '1.2.3.4', 'unknown'],
  ];
  for (const [remote, forwarded, expected] of table)
    t.equal(clientAddress(remote, forwarded, proxies), expected, `${remote} <- ${forwarded}`);
  t.equal(clientAddress('10.1.2.3', '1.2.3.4', trustedProxies([])), '10.1.2.3');
  for (const bad of ['', 'proxy.example', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/x']) {
    t.throws(
      () => trustedProxies([bad]),
      { message: `trusted proxy "${bad}" is neither an address nor a range such as 10.0.0.0/8` },
      bad,
    );
  }
  const rig = await startRig(t, [whoami], { trustedProxies: ['127.0.0.1'] });
  t.match(
    (
      await rig.call('GET', '/api/v1/who', {
        headers: { 'x-forwarded-for': '6.6.6.6, 198.51.100.1', 'user-agent': 'u'.repeat(600) },
      })
    ).body,
    { ip: '198.51.100.1', userAgent: 'u'.repeat(512) },
  );
  const untrusting = await startRig(t, [whoami], { authenticator });
  t.match((await untrusting.call('GET', '/api/v1/who', { headers: { 'x-forwarded-for': '198.51.100.1' } })).body, {
    ip: '127.0.0.1',
  });
});
