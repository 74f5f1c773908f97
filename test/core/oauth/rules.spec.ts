// OAuth2 rules as pure functions: redirect URIs, scopes, resources, clients and authorization requests.
import t from 'tap';
import { demandOf, type AuthorizationParameters } from '#core/oauth/authorization/authorization-request';
import { checkClient, type Client } from '#core/oauth/model/client';
import { OAuthRefusal } from '#core/oauth/model/errors';
import {
  allowlist,
  allowlistMisfit,
  isRegistered,
  redirectUriMisfit,
  withParameters,
} from '#core/oauth/model/redirect-uri';
import { canonicalResource, isSameResource } from '#core/oauth/model/resource';
import { readScopes } from '#core/oauth/model/scopes';

void t.test('redirect URIs that may and may not be registered', async (t) => {
  for (const uri of [
    'https://app.example/cb',
    'https://app.example',
    'https://app.example/cb?a=b',
    'https://xn--bcher-kva.example/cb',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]/cb',
    'http://localhost/cb',
  ])
    t.equal(redirectUriMisfit(uri), undefined, uri);
  for (const uri of [
    '',
    'app.example/cb',
    '/cb',
    'http://app.example/cb',
    'ftp://app.example/cb',
    'javascript:alert(1)',
    'com.example.app:/cb',
    'https://app.example/cb#',
    'https://app.example/cb#f',
    'https://a@app.example/cb',
    'https://a:b@app.example/cb',
    'https://*.app.example/cb',
    'https://app.example/*',
    'https://APP.example/cb',
    'https://bücher.example/cb',
    'https://app.example./cb',
    'https://app.example:443/cb',
    'https://app.example/a/../cb',
    'https://app.example/%2e%2e/cb',
    'https://app.example/a%2Fcb',
    'https://app.example\\cb',
    'https://app.example/cb\n',
    ' https://app.example/cb',
    'https:app.example/cb',
    'http://127.1/cb',
    'http://0x7f.1/cb',
    'http://2130706433/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://localhost.evil.example/cb',
    `https://app.example/${'x'.repeat(2048)}`,
  ])
    t.type(redirectUriMisfit(uri), 'string', JSON.stringify(uri));
});

void t.test('only a URI of a loopback IP address matches any port (RFC 8252, section 7.3)', async (t) => {
  t.ok(isRegistered(['http://127.0.0.1/cb?x=1'], 'http://127.0.0.1:5/cb?x=1'));
  t.ok(isRegistered(['http://127.0.0.1:6/cb'], 'http://127.0.0.1:5/cb'));
  t.ok(isRegistered(['http://127.0.0.1:6/cb'], 'http://127.0.0.1/cb'));
  t.ok(isRegistered(['http://[::1]:6/cb?x'], 'http://[::1]:65535/cb?x'));
  t.ok(isRegistered(['http://127.0.0.1'], 'http://127.0.0.1:5'));
  for (const uri of [
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:0/cb',
    'http://127.0.0.1:05/cb',
    'http://127.0.0.1:5@evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:5/CB',
    'https://127.0.0.1:5/cb',
    'http://127.0.0.2:6/cb',
    'http://a@127.0.0.1:5/cb',
  ])
    t.notOk(isRegistered(['http://127.0.0.1:6/cb'], uri), uri);
  t.notOk(isRegistered(['http://localhost'], 'http://localhost:5'));
  t.notOk(isRegistered(['http://127.0.0.1/cb'], 'http://127.0.0.1:5/cb?x=1'));
  t.notOk(isRegistered(['http://127.0.0.1/cb'], 'http://localhost:5/cb'));
  t.notOk(isRegistered(['https://localhost/cb'], 'https://localhost:5/cb'));
  t.notOk(isRegistered([], ''));
});

void t.test('the allowlist of redirect URIs for self-registered clients', async (t) => {
  const empty = allowlist(' ,\n');
  t.ok(empty('http://127.0.0.1:5/cb'));
  t.notOk(empty('https://app.example/cb'));
  const some = allowlist('https://app.example, https://exact.example/cb\nhttp://127.0.0.1');
  for (const uri of ['https://app.example/any', 'https://exact.example/cb', 'http://127.0.0.1:5/cb'])
    t.ok(some(uri), uri);
  for (const uri of ['https://app.example.evil/', 'https://exact.example/cb/', 'http://localhost/cb', 'x'])
    t.notOk(some(uri), uri);
});

void t.test('the allowlist is parsed once per text, for all callers', async (t) => {
  const entries = Array.from({ length: 400 }, (_, index) => `https://${index.toString(36)}.example`);
  const text = entries.join();
  t.equal(allowlistMisfit(text), undefined);
  const read = t.capture(URL, 'canParse', URL.canParse.bind(URL));
  t.equal(allowlistMisfit(text), undefined);
  const allows = allowlist(text);
  t.strictSame(read(), []);
  t.ok(allows(`${entries.at(-1)}/cb`));
  t.notOk(allows('https://nobody.example/cb'));
  t.equal(read().length, 2, 'once for each URI');
  t.match(allowlistMisfit(`${text},nonsense`), /"nonsense" is no URL/, 'another text is parsed');
  t.notOk(allowlist('https://a.example')(`${entries.at(-1)}/cb`));
});

void t.test('parameters are added to any existing query', async (t) => {
  const added = { code: 'a b&c', state: undefined };
  t.equal(withParameters('https://a/cb', added), 'https://a/cb?code=a%20b%26c');
  t.equal(withParameters('https://a/cb?x=1', added), 'https://a/cb?x=1&code=a%20b%26c');
  t.equal(withParameters('https://a/cb?', added), 'https://a/cb?code=a%20b%26c');
});

void t.test('scopes: single spaces, the characters of RFC 6749, each once', async (t) => {
  t.equal(readScopes(undefined), undefined);
  t.strictSame(readScopes('a b a'), ['a', 'b']);
  t.strictSame(readScopes('offline_access a address phone'), ['a'], 'scopes that grant nothing');
  t.strictSame(readScopes('offline_access'), []);
  for (const text of ['', ' a', 'a ', 'a  b', 'a\tb', 'ä', 'a"b', 'a\\b']) t.throws(() => readScopes(text), text);
});

void t.test('resources: the MCP endpoints of this instance, names in any case', async (t) => {
  const base = 'https://forge.example/base';
  t.equal(canonicalResource(base, `${base}/api/v1/mcp/Ada/Repo`), `${base}/api/v1/mcp/ada/repo`);
  t.ok(isSameResource(base, `${base}/api/v1/mcp/Ada/Repo`, `${base}/api/v1/mcp/ada/repo`));
  t.notOk(isSameResource(base, '', ''), 'an empty resource matches nothing');
  for (const path of [
    '',
    '/',
    '/a',
    '/a/b c',
    '/a/b/c',
    '/a/b#c',
    '/a/b?c',
    '/a/..',
    '/../b',
    '/a/%62',
    '/a/b/',
    '//b',
  ])
    t.equal(canonicalResource(base, `${base}/api/v1/mcp${path}`), undefined, path);
  t.equal(canonicalResource(base, 'https://evil.example/base/api/v1/mcp/a/b'), undefined);
});

void t.test('a client: given members are validated, missing ones are not', async (t) => {
  const known = ['read:user'];
  checkClient({}, known);
  checkClient({ name: 'x', logoUrl: 'https://a.example/b.png', homepageUrl: '', scopes: known }, known);
  t.throws(() => checkClient({ scopes: ['other'] }, known), { code: 'unknown_scope' });
  t.throws(() => checkClient({ logoUrl: 'https://a@b.example' }, known), { code: 'validation_failed' });
});

void t.test('an authorization request is accepted, or rejected with the code of its error', async (t) => {
  const client = { authMethod: 'none', scopes: ['openid', 'admin:repo'] } as unknown as Client;
  const baseUrl = 'https://forge.example';
  const outcome = (parameters: AuthorizationParameters): string => {
    try {
      return demandOf(parameters, { client }, baseUrl).consent;
    } catch (error) {
      if (!(error instanceof OAuthRefusal)) throw error;
      return error.code;
    }
  };
  const cases: readonly (readonly [AuthorizationParameters, string])[] = [
    [{}, 'as needed'],
    [{ response_mode: 'query' }, 'as needed'],
    [{ prompt: 'none' }, 'never'],
    [{ prompt: 'consent login' }, 'always'],
    [{ request: 'x' }, 'request_not_supported'],
    [{ request_uri: 'x' }, 'request_uri_not_supported'],
    [{ registration: 'x' }, 'registration_not_supported'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'admin:repo' }, 'invalid_scope'],
    [{ resource: baseUrl }, 'invalid_target'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ prompt: 'dance' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ max_age: '1e3' }, 'invalid_request'],
  ];
  for (const [parameters, expected] of cases) t.equal(outcome(parameters), expected, JSON.stringify(parameters));
  for (const [parameters, seconds] of [
    [{}, Infinity],
    [{ max_age: '60' }, 60],
    [{ max_age: '0' }, 120],
    [{ max_age: '0', prompt: 'none' }, 0],
    [{ prompt: 'login' }, 120],
    [{ prompt: 'select_account' }, 120],
    [{ prompt: 'login', max_age: '60' }, 60],
  ] as const)
    t.equal(demandOf(parameters, { client }, baseUrl).oldestSignIn, seconds, JSON.stringify(parameters));
});
