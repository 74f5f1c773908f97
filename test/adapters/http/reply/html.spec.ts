// HTML pages: texts are escaped, pages have strict headers, and errors are pages too.
import { createHash } from 'node:crypto';
import t from 'tap';
import { html, HtmlPage, pageHeaders } from '#adapters/http/descriptor/html';
import { api, reply } from '#adapters/http/descriptor/route';
import { shape, word } from '#adapters/http/descriptor/shape';
import { anyone, session } from '#core/kernel/access/access';
import { Conflict, Unavailable } from '#core/kernel/errors';
import { startRig } from '../rig.ts';

const page = {
  summary: 'A page',
  path: '/-/page',
  mount: 'root',
  access: anyone,
  scope: null,
  result: 'html',
} as const;
const shown = (name: string): HtmlPage => new HtmlPage({ title: name, main: html`<h1>${name}</h1>` });

void t.test('html: texts are escaped, undefined is empty, HTML is unchanged', (t) => {
  t.equal(html`<a title="${`"'<>&amp;`}">${'<b>'}</a>`.text, '<a title="&quot;&#39;&lt;&gt;&amp;amp;">&lt;b&gt;</a>');
  t.equal(html`${undefined}${''}${[html`<i>${'&'}</i>`, 'x<', [undefined, false]]}`.text, '<i>&amp;</i>x&lt;');
  const turned = 'a\u202eb\u2066c\u2069d\u200fe\u061cf';
  t.equal(html`${turned}`.text, 'a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf', 'bidirectional controls');
  t.equal(html`${'a\0b\u0007c\u009bd\r\n\te'}`.text, 'a\ufffdb\ufffdc\ufffdd\ufffd\n\te', 'control characters');
  t.equal(html`${'\ud800<'}`.text, '\ufffd&lt;', 'a lone surrogate');
  t.end();
});

void t.test('form-action: an origin if it can be written in a policy, otherwise its scheme', (t) => {
  const policy = (...formsLeadTo: readonly string[]): string | undefined =>
    pageHeaders(new HtmlPage({ title: '', main: html``, formsLeadTo }))
      ['content-security-policy']?.split('; ')
      .find((line) => line.startsWith('form-action'));
  t.equal(policy(), "form-action 'self'");
  t.equal(policy('https://app.example/cb?x=1'), "form-action 'self' https://app.example");
  t.equal(policy('http://127.0.0.1:4711/cb', 'http://127.0.0.1:4711/'), "form-action 'self' http://127.0.0.1:4711");
  t.equal(policy('http://[::1]:4711/cb'), "form-action 'self' http:");
  t.equal(
    policy("https://a;frame-ancestors,*'b.example/"),
    "form-action 'self' https:",
    'no directive can be injected',
  );
  t.equal(policy('https://*.example/'), "form-action 'self' https:");
  t.equal(policy('https://bücher.example/'), "form-action 'self' https://xn--bcher-kva.example");
  t.end();
});

void t.test('an operation that returns pages returns errors as pages, with the headers of other errors', async (t) => {
  const rig = await startRig(t, [
    api({ ...page, id: 'pageShow', method: 'GET', run: () => shown('<Hello>') }),
    api({
      ...page,
      id: 'pageSend',
      method: 'POST',
      form: true,
      body: shape({ name: word() }),
      run: (_call, { body }) => {
        if (body.name === 'taken') throw new Conflict('It is <taken>', { detail: 'Take another' });
        if (body.name === 'elsewhere') return reply(undefined as never, { status: 303, headers: { location: '/' } });
        if (body.name === 'json') return { name: 'json' } as never;
        return shown(body.name);
      },
    }),
    api({
      ...page,
      path: '/-/worded',
      id: 'pageWorded',
      method: 'GET',
      refusal: (told) => ({ ...told, page: shown(`Worded: ${String(told.body['error'])}`) }),
      run: () => {
        throw new Unavailable('Out', { retryAfter: 7 });
      },
    }),
  ]);
  const form = (name: string, headers = {}) =>
    rig.call('POST', '/-/page', {
      body: `name=${name}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const get = await rig.call('GET', '/-/page');
  t.strictSame([get.status, get.headers['content-type']], [200, 'text/html; charset=utf-8']);
  t.match(get.text, /<title>&lt;Hello&gt; – Hexforge<\/title>/);
  t.match(get.text, /<meta name="referrer" content="same-origin" \/>/);
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(get.text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  t.ok(get.headers['content-security-policy']?.includes(`; style-src 'sha256-${hash}'; `), 'the style is allowed');
  t.strictSame(
    ['x-frame-options', 'cross-origin-opener-policy', 'cache-control', 'referrer-policy'].map(
      (name) => get.headers[name],
    ),
    ['DENY', 'same-origin', 'no-store', 'no-referrer'],
  );
  const head = await rig.call('HEAD', '/-/page');
  t.strictSame([head.status, head.text, head.headers['x-frame-options']], [200, '', 'DENY']);

  t.match((await form('Ada')).text, /<h1>Ada<\/h1>/);
  const moved = await form('elsewhere');
  t.strictSame([moved.status, moved.headers.location, moved.text], [303, '/', '']);
  const taken = await form('taken');
  t.equal(taken.status, 409);
  t.match(taken.text, /<h1>It is &lt;taken&gt;<\/h1>\s+<p>Take another<\/p>/);
  t.match(taken.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/);
  t.equal((await form('')).status, 400);
  const nul = await form('a%00b');
  t.equal(nul.status, 400);
  t.match(nul.text, /Field &quot;name&quot; must not contain a NUL character/);
  const fault = await form('json');
  t.strictSame([fault.status, fault.headers['content-type']], [500, 'text/html; charset=utf-8']);
  t.notMatch(fault.text, /schema/, 'a fault returns no details');
  t.match(rig.logged, [{ members: { stack: /it is JSON, and "html" was declared/ } }]);
  const worded = await rig.call('GET', '/-/worded');
  t.strictSame([worded.status, worded.headers['retry-after']], [503, '7']);
  t.match(worded.text, /<h1>Worded: Out<\/h1>/);

  // With a cookie and without: a form on another site could sign somebody in.
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'same-site' }])
    t.equal((await form('Ada', headers)).status, 403, JSON.stringify(headers));
  for (const headers of [{ origin: 'https://web.example' }, { origin: 'https://forge.example' }, {}])
    t.equal((await form('Ada', headers)).status, 200, JSON.stringify(headers));

  const { paths } = (await rig.server.openapi()) as { readonly paths: Readonly<Record<string, unknown>> };
  t.strictSame(
    Object.keys(paths).filter((path) => path.startsWith('/-/')),
    [],
    'not listed in the OpenAPI document',
  );
});

void t.test('a page from a route that declares JSON is a fault', async (t) => {
  const rig = await startRig(t, [
    api({
      ...page,
      id: 'pageStray',
      method: 'GET',
      path: '/stray',
      result: shape({ name: word() }),
      run: () => shown('x') as never,
    }),
  ]);
  t.equal((await rig.call('GET', '/stray')).status, 500);
  t.match(rig.logged, [{ members: { stack: /it is a page, which was not declared/ } }]);
});

void t.test(
  'open: a disabled operation returns 503 before access is decided and after the credential is verified',
  async (t) => {
    const rig = await startRig(t, [
      api({
        id: 'shut',
        summary: 'Off',
        method: 'GET',
        path: '/shut',
        access: session,
        scope: null,
        query: shape({ much: word() }),
        result: 'empty',
        open: async () => {
          throw new Unavailable('It is off');
        },
        run: () => undefined,
      }),
    ]);
    const status = async (headers: Readonly<Record<string, string>> = {}) =>
      (await rig.call('GET', '/api/v1/shut', { headers })).status;
    t.equal(await status(), 503, 'not 401');
    t.equal(await status({ authorization: 'Bearer pat-none' }), 503, 'not 403');
    t.equal(await status({ authorization: 'Bearer good' }), 503, 'not 400');
    t.equal(await status({ authorization: 'Bearer nonsense' }), 401, 'a bad credential is rejected everywhere');
    const { paths } = (await rig.server.openapi()) as {
      readonly paths: Readonly<Record<string, { readonly get: { readonly responses: object } }>>;
    };
    t.ok(Object.keys(paths['/api/v1/shut']?.get.responses ?? {}).includes('503'), '503 is listed');
  },
);
