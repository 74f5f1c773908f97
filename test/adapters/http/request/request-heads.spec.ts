// Tests that request targets, header lists and media types are accepted as widely as RFC 9110 and 9112 allow.
import { gzipSync } from 'node:zlib';
import Joi from 'joi';
import t from 'tap';
import { api, object } from '#adapters/http/descriptor/route';
import { clientAddress, trustedProxies } from '#adapters/http/request/exchange';
import { listed } from '#adapters/http/overload/header-lists';
import { anyone } from '#core/kernel/access/access';
import { Forbidden } from '#core/kernel/errors';
import { bearer, startRig } from '../rig.ts';

const open = { access: anyone, scope: null } as const;
const thing = object<{ path: string }>({ path: Joi.string().required() });
const find = api({
  ...open,
  id: 'find',
  summary: 'Find',
  method: 'GET',
  path: '/things/{path*}',
  result: thing,
  run: (_call, { params: { path } }) => ({ path }),
});
const create = api({
  ...open,
  id: 'create',
  summary: 'Create',
  method: 'POST',
  path: '/things',
  body: thing,
  result: thing,
  run: (_call, { body }) => body,
});
const close = 'Connection: close\r\n\r\n';

void t.test('request targets in every form of RFC 9112, section 3.2', async (t) => {
  const rig = await startRig(t, [find, create]);
  const sent = (line: string) => rig.raw(`${line} HTTP/1.1\r\nHost: a\r\n${close}`);
  for (const [target, path] of [
    ["/api/v1/things/a;b=c,d@e:f!$&'()*+=~", "a;b=c,d@e:f!$&'()*+=~"],
    ['/api/v1/things/a:/b', 'a:/b'],
    ['/api/v1/things/a?/?:@!$&=', 'a'],
    ['/api/v1/things/a?', 'a'],
    ['http://a/api/v1/things/a', 'a'],
    ['HTTPS://[::1]:8080/api/v1/things/a?b', 'a'],
    ['ftp://a/api/v1/things/a?b', 'a'],
  ] as const) {
    const answer = await sent(`GET ${target}`);
    t.match(answer, /^HTTP\/1\.1 200 /, target);
    t.ok(answer.endsWith(JSON.stringify({ path })), target);
  }
  const whole = await sent('OPTIONS *');
  t.match(whole, /^HTTP\/1\.1 204 /);
  t.match(whole, /\r\nallow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/i);
  t.match(await sent('OPTIONS http://a'), /^HTTP\/1\.1 204 /);
  t.match(await sent('GET *'), /^HTTP\/1\.1 400 /);
  const tunnel = await sent('CONNECT a:80');
  t.match(tunnel, /^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  t.match(tunnel, /\r\nAllow: GET, HEAD, /);
  t.match(tunnel, /"error_code":"method_not_allowed"\}$/);
});

void t.test('Host is a host with a port (RFC 9112, section 3.2)', async (t) => {
  const rig = await startRig(t, [find]);
  const status = async (host: string, version = '1.1') =>
    (await rig.raw(`GET /api/v1/things/a HTTP/${version}\r\nHost: ${host}\r\n${close}`)).slice(9, 12);
  for (const host of [
    '',
    'a',
    'A.example:80',
    'a:',
    'a_b',
    'a,b',
    'caf%C3%A9.example',
    '[::1]',
    '[::1]:3000',
    '1.2.3.4:3',
  ])
    t.equal(await status(host), '200', host);
  for (const host of ['a b', 'a/b', 'a?b', 'a@b', 'a:x', '[::1', '::1', '%zz', '\u00fc', '"a"'])
    t.equal(await status(host), '400', host);
  t.equal(await status('a b', '1.0'), '400');
});

void t.test('answers that the router does not make have the date (RFC 9110, section 6.6.1)', async (t) => {
  const rig = await startRig(t, []);
  for (const text of ['NONSENSE\r\n\r\n', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`])
    t.match(await rig.raw(text), /\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
});

void t.test('lists: blanks, empty elements and any order (RFC 9110, section 5.6.1)', async (t) => {
  t.strictSame(listed(undefined), []);
  t.strictSame(listed(' a ,,\tb, '), ['a', 'b']);
  const proxies = trustedProxies(['10.0.0.1', '10.0.0.2']);
  for (const list of ['1.2.3.4', '1.2.3.4,', ', 9.9.9.9 ,, 1.2.3.4 , , 10.0.0.2,'])
    t.equal(clientAddress('10.0.0.1', list, proxies), '1.2.3.4', list);
  const rig = await startRig(t, [create]);
  const plain = JSON.stringify({ path: 'a' });
  for (const [encoding, body] of [
    ['', plain],
    ['identity', plain],
    ['identity, identity', plain],
    ['gzip', gzipSync(plain)],
    ['identity, GZIP,', gzipSync(plain)],
    ['X-Gzip', gzipSync(plain)],
  ] as const) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    const answer = await rig.call('POST', '/api/v1/things', { headers, body });
    t.strictSame([answer.status, answer.text], [200, plain], encoding);
  }
  for (const encoding of ['br', 'gzip, gzip', 'gzip, br']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    t.equal((await rig.call('POST', '/api/v1/things', { headers, body: plain })).status, 415, encoding);
  }
});

void t.test(
  'every 401 has a challenge, also if the route words its errors itself, and so has every refused token',
  async (t) => {
    const unnamed = api({
      ...open,
      id: 'unnamed',
      summary: 'Words its errors itself',
      method: 'GET',
      path: '/unnamed',
      result: thing,
      refusal: ({ status, body }) => ({ status, headers: {}, body }),
      run: () => ({ path: '' }),
    });
    const refused = (code: string) =>
      api({
        ...open,
        id: code,
        summary: code,
        method: 'GET',
        path: `/${code}`,
        result: thing,
        run: () => {
          throw new Forbidden('No', { code });
        },
      });
    const rig = await startRig(t, [unnamed, refused('insufficient_scope'), refused('invalid_audience')]);
    const bad = await rig.call('GET', '/api/v1/unnamed', { headers: bearer('unknown') });
    t.strictSame([bad.status, bad.headers['www-authenticate']], [401, 'Bearer realm="hexforge"']);
    for (const [code, error] of [
      ['insufficient_scope', 'insufficient_scope'],
      ['invalid_audience', 'invalid_token'],
    ] as const) {
      const { status, headers } = await rig.call('GET', `/api/v1/${code}`, { headers: bearer('good') });
      t.strictSame([status, headers['www-authenticate']], [403, `Bearer error="${error}"`], code);
    }
  },
);
