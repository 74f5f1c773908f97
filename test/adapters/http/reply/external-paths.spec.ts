// Tests that paths in headers have the path of the external URL.
import t from 'tap';
import { api, reply } from '#adapters/http/descriptor/route';
import { deprecation } from '#adapters/http/descriptor/deprecation';
import { externalPaths } from '#adapters/http/reply/external-paths';
import { anyone } from '#core/kernel/access/access';
import { startRig } from '../rig.ts';

const urls = (base: string, web = base) => ({
  baseUrl: `https://forge.example${base}`,
  webUrl: `https://forge.example${web}`,
});

void t.test('headers that refer to paths of the server', async (t) => {
  const { header } = externalPaths(urls('/code/api', '/code'));
  for (const [name, value, outside] of [
    ['location', '/api/v1/x', '/code/api/api/v1/x'],
    ['Location', '/-/sign-in?a=/b', '/code/-/sign-in?a=/b'],
    ['Content-Location', '/api/v1/x', '/code/api/api/v1/x'],
    ['location', 'https://other.example/x', 'https://other.example/x'],
    ['location', '//other.example/x', '//other.example/x'],
    ['location', '/\\other.example/x', '/\\other.example/x'],
    ['location', 'sibling', 'sibling'],
    [
      'link',
      '</a>; rel="next", <https://o.example/b>; rel="last"',
      '</code/api/a>; rel="next", <https://o.example/b>; rel="last"',
    ],
    ['x-else', '/a', '/a'],
  ] as const)
    t.equal(header(name, value), outside, `${name}: ${value}`);
  const plain = externalPaths(urls(''));
  t.equal(plain.header('location', '/api/v1/x'), '/api/v1/x');
});

void t.test('cookies: `/` is the longest path that contains the API and the pages', async (t) => {
  for (const [base, web, root, refresh] of [
    ['', '', '/', '/api/v1/auth'],
    ['/code', '/code', '/code', '/code/api/v1/auth'],
    ['/code/', '/code', '/code', '/code/api/v1/auth'],
    ['/code/api', '/code/web', '/code', '/code/api/api/v1/auth'],
    ['/code', '/codes', '/', '/code/api/v1/auth'],
    ['/code', '', '/', '/code/api/v1/auth'],
  ] as const) {
    const { cookie } = externalPaths(urls(base, web));
    t.strictSame([cookie('/'), cookie('/api/v1/auth')], [root, refresh], `${base} ${web}`);
  }
  t.equal(externalPaths(urls('/code/api', '/code')).cookie('/-/page'), '/code/-/page');
});

void t.test('answers of any plugin', async (t) => {
  const moved = api({
    id: 'moved',
    summary: 'Moved',
    method: 'GET',
    path: '/things/{name}',
    access: anyone,
    scope: null,
    success: 308,
    result: 'empty',
    run: (_call, { url }) =>
      reply(undefined, {
        headers: { location: url, ...deprecation(new Date('2026-01-01T00:00:00.900Z'), '/api/v1/new') },
        cookies: [{ name: 'svc_a', value: 'b', sameSite: 'Lax', path: '/api/v1/things', maxAgeSeconds: 5 }],
      }),
  });
  const rig = await startRig(t, [moved], urls('/code'));
  for (const [sent, url] of [
    ['/api/v1/things/a%20b%2Fc%25.txt', '/api/v1/things/a%20b%2Fc%25.txt'],
    ['/api/v1/things/%7e%2b/?q=%20+%zz'.replace('%zz', '%C3%A9'), '/api/v1/things/%7e%2b?q=%20+%C3%A9'],
    ['/api/v1/x/../things/%2e%2E/things/a?b', '/api/v1/things/a?b'],
    ['/api/v1/things/a?', '/api/v1/things/a'],
    ['http://forge.example/api/v1/things/a', '/api/v1/things/a'],
  ] as const) {
    const { status, headers } = await rig.call('GET', sent);
    t.strictSame([status, headers.location], [308, `/code${url}`], sent);
    t.strictSame(
      [headers['deprecation'], headers.link],
      ['@1767225600', '</code/api/v1/new>; rel="successor-version"'],
    );
    t.match(headers['set-cookie'], [/; Path=\/code\/api\/v1\/things;/]);
  }
});
