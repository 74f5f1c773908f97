// Tests the frame of pages: the start page, the redirect to the sign-in page, forms, menus, assets, and the forge
// without a frame.
import { Script } from 'node:vm';
import t from 'tap';
import { html, HtmlPage } from '#adapters/http/descriptor/html';
import { Conflict } from '#core/kernel/errors';
import { count, shape, word } from '#adapters/http/descriptor/shape';
import { anyone, reads, signedIn, superAdmin } from '#core/kernel/access/access';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { form, page, type RefusedForm } from '#host/plugin/pages';
import { testHost } from '#host/sdk/testing';

const shown = (title: string, refused?: RefusedForm): HtmlPage =>
  new HtmlPage({
    title,
    main: html`<h1>${title}</h1>
      <form method="post" action="/-/x/bell/towers/south/ring"><input name="times" /></form>
      <p id="refused">
        ${refused && `${refused.form}: ${refused.field ?? 'no field'}: ${String(refused.values['times'])}`}
      </p>`,
  });

const bell = definePlugin({
  name: 'bell',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  pages: () => [
    page({
      id: 'bellTower',
      summary: 'A tower',
      path: '/towers/{tower}',
      access: signedIn,
      scope: null,
      run: (_call, { params, refused }) => shown(params.tower, refused),
      forms: [
        form({
          id: 'bellRing',
          summary: 'Rings the bell',
          path: '/towers/{tower}/ring',
          access: signedIn,
          scope: null,
          body: shape({ times: count().min(1).max(12) }),
          run: async (_call, { params, body }) => {
            if (body.times === 11) throw new Conflict('It rings already');
            return `/-/x/bell/towers/${params.tower}?rang=${String(body.times)}`;
          },
        }),
      ],
    }),
    page({
      id: 'bellRepository',
      summary: 'The bells of a repository',
      place: 'repository',
      path: '/bells/{bell}',
      access: reads('repository', 'repo.read'),
      scope: 'repo.read',
      query: shape({ of: word() }),
      run: (_call, { params, granted, query }) => shown(`${granted.resource.name} ${params.bell} ${query.of}`),
    }),
    page({
      id: 'bellBroken',
      summary: 'A page that fails',
      path: '/broken',
      access: anyone,
      scope: null,
      run: () => {
        throw new Error('no rope');
      },
    }),
  ],
  tabs: () => [
    {
      id: 'bells',
      title: 'Bells',
      path: '/bells/all',
      permission: 'repo.read',
      count: async (id) => (id === '' ? 0 : 7),
    },
    {
      id: 'cracked',
      title: 'Cracked',
      path: '/cracked',
      permission: 'repo.read',
      count: async () => {
        throw new Error('no count');
      },
    },
    { id: 'workshop', title: 'Workshop', path: '/workshop', permission: 'repo.admin' },
    { id: 'ropes', title: 'Ropes', path: '/bells/ropes', permission: 'repo.admin', menu: 'settings' },
    { id: 'wheels', title: 'Wheels', path: '/bells/wheels', permission: 'repo.admin', menu: 'settings' },
  ],
  menu: () => [
    { id: 'towers', title: 'Towers', path: '/-/x/bell/towers/all', menu: 'instance', access: signedIn },
    { id: 'south', title: 'South', path: '/-/x/bell/towers/south', menu: 'settings', access: signedIn },
    { id: 'west', title: 'West', path: '/-/x/bell/towers/west', menu: 'settings', access: signedIn },
    {
      id: 'bell-search',
      title: 'Find bells',
      path: '/-/x/bell/towers/search',
      suggestions: '/api/v1/x/bell/suggestions',
      menu: 'search-box',
      access: signedIn,
      order: 1,
    },
    { id: 'nobody', title: 'Nobody', path: '/-/x/bell/towers/none', menu: 'admin', access: superAdmin },
  ],
  panels: () => [
    { id: 'rope', title: 'Rope', on: 'repository', run: async (_call, { id }) => html`<p id="rope">${id}</p>` },
    { id: 'rust', title: 'Rust', on: 'repository', run: () => Promise.reject(new Error('no oil')) },
    { id: 'other', title: 'Other', on: 'issue', run: async () => html`<p id="other"></p>` },
    {
      id: 'file',
      title: 'File',
      on: 'file',
      run: async (_call, { owner, repository, ref, isDefaultBranch, path }) =>
        html`<p id="file">${owner}/${repository} ${ref} ${String(isDefaultBranch)} ${path}</p>`,
    },
  ],
  cards: () => [
    { id: 'loud', title: 'Loud', run: async ({ caller }) => html`<p>Hello, ${caller.kind}</p>` },
    {
      id: 'silent',
      title: 'Silent',
      run: async () => {
        throw new Error('no tongue');
      },
    },
  ],
});

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

void t.test('the start page is for who accepts HTML; others get the links as JSON', async (t) => {
  await using forge = await testHost(bell, { log });
  const ask = (accept?: string): Promise<Response> =>
    fetch(forge.url, { headers: accept === undefined ? {} : { accept } });
  for (const accept of ['text/html', 'text/html;q=0.9, */*;q=0.1', 'application/xhtml+xml']) {
    const answer = await ask(accept);
    t.match(answer.headers.get('content-type'), /^text\/html/, accept);
    t.match(answer.headers.get('vary'), /accept(?:,|$)/i);
  }
  for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0, */*']) {
    const answer = await ask(accept);
    t.match(answer.headers.get('content-type'), /^application\/json/, accept ?? 'no Accept');
    t.match(answer.headers.get('vary'), /accept(?:,|$)/i);
  }
  const start = await forge.browser().open('/');
  t.match(start.html, /<p>Hello, anonymous<\/p>/);
  t.match(start.html, /The plugin “bell” could not show “Silent”/);
  t.match((await forge.browser('alice').open('/')).html, /<p>Hello, user<\/p>/);
});

void t.test('a page that needs an account leads to the sign-in page, which leads back', async (t) => {
  await using forge = await testHost(bell, { log, users: ['alice'] });
  const browser = forge.browser();
  const signIn = await browser.open('/-/x/bell/towers/south?a=b%20c');
  t.match(signIn, { status: 200, path: '/-/sign-in?return_to=%2F-%2Fx%2Fbell%2Ftowers%2Fsouth%3Fa%3Db%2520c' });
  const token = await fetch(`${forge.url}/-/x/bell/towers/south`, {
    headers: { authorization: 'Bearer svc_nothing' },
    redirect: 'manual',
  });
  t.equal(token.status, 401, 'a credential in a header is refused');
  const posted = await fetch(`${forge.url}/-/x/bell/towers/south/ring`, { method: 'POST', redirect: 'manual' });
  t.equal(posted.status, 401, 'a form does not lead away');
});

void t.test('what is hidden or missing is a page with its status', async (t) => {
  await using forge = await testHost(bell, { log, repositories: [{ path: 'alice/secret', visibility: 'private' }] });
  const browser = forge.browser('bob');
  for (const path of [
    '/alice/secret/-/x/bell/bells/all',
    '/alice/none/-/x/bell/bells/all',
    '/alice/secret',
    '/-/none',
  ]) {
    const page = await browser.open(path);
    t.equal(page.status, 404, path);
    if (path !== '/-/none') t.match(page.html, /<header>/, 'within the frame');
  }
  t.match(await browser.open('/-/x/bell/broken'), { status: 500, html: /The server failed to answer/ });
  const bare = await fetch(`${forge.url}/alice/secret`);
  t.match([bare.status, bare.headers.get('content-type')], [404, /^application\/json/], 'JSON for other clients');
});

void t.test('a form leads to a page, and a refused one shows its page again, filled in', async (t) => {
  await using forge = await testHost(bell, { log });
  const browser = forge.browser('alice');
  const tower = await browser.open('/-/x/bell/towers/south');
  t.match(await browser.submit(tower, { times: '3' }), { status: 200, path: '/-/x/bell/towers/south?rang=3' });
  t.match(await browser.submit(tower, { times: '13' }), { status: 422, html: />\s*bellRing: times: 13\s*</ });
  t.match(await browser.submit(tower, { times: '11' }), { status: 422, html: /bellRing: no field: 11\s*</ });
  const foreign = await browser.request('POST', new URL('/-/x/bell/towers/south/ring', forge.url), {
    body: 'times=3',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
  });
  t.equal(foreign.status, 403, 'forms of other sites are refused');
});

void t.test('the navigation shows what the caller may use', async (t) => {
  await using forge = await testHost(bell, { log, repositories: ['alice/site'] });
  const path = '/alice/site/-/x/bell/bells/all?of=bronze';
  const owner = (await forge.browser('alice').open(path)).html;
  t.match(owner, /<h1>site all bronze<\/h1>/);
  t.match(
    owner,
    /href="\/alice\/site\/-\/x\/bell\/bells\/all"[^>]*aria-current="page"\s*>Bells <span class="count">7</,
  );
  t.match(owner, /Cracked\s*</, 'a tab without its count');
  t.match(owner, /Workshop/);
  t.match((await forge.browser('alice').open('/-/keys')).html, /href="\/-\/x\/bell\/towers\/all"/);
  t.notMatch((await forge.browser().open('/-/keys')).html, /towers\/all/);
  t.match(owner, /<a href="\/alice\/site\/-\/find\/main" data-key="t" hidden/, 'a link for its key');
  const front = (await forge.browser('alice').open('/alice/site')).html;
  t.match(front, /<aside>[\s\S]*<p id="rope">[0-9a-f-]{36}<\/p>[\s\S]*could not show “Rust”[\s\S]*<\/aside>/);
  t.notMatch(front, /id="other"/);
  const other = (await forge.browser('bob').open(path)).html;
  t.notMatch(other, /Workshop/);
  t.match((await forge.browser().open('/-/keys')).html, /href="\/-\/sign-in\?return_to=%2F-%2Fkeys"/);
});

void t.test('themes are kept in a cookie, and signing out ends the session', async (t) => {
  await using forge = await testHost(bell, { log });
  const browser = forge.browser('alice');
  const page = await browser.open('/-/x/bell/towers/south');
  const at = (action: string): number => page.forms.findIndex((form) => form.action === action);
  t.ok(at('/-/theme') > 0, 'the forms of the frame come after those of the page');
  await browser.submit(page, { theme: 'dark' }, at('/-/theme'));
  t.match((await browser.open('/-/keys')).html, /<html lang="en" data-theme="dark"/);
  t.match(await browser.submit(page, {}, at('/-/sign-out')), { status: 200, path: '/' });
  t.match((await browser.open('/-/x/bell/towers/south')).path, /^\/-\/sign-in/);
});

void t.test('pages of settings list each other, and one entry leads to them', async (t) => {
  await using forge = await testHost(bell, { log, repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const section = (text: string): string => /<nav class="section"[^]*?<\/nav>/.exec(text)?.[0] ?? '';
  const alice = forge.browser('alice');
  const { html: south } = await alice.open('/-/x/bell/towers/south');
  t.match(south, /<a href="\/-\/settings\/profile">Settings<\/a>/, 'in the menu of the account');
  t.match(south, /<a href="\/alice">Profile<\/a>/);
  t.match((await alice.open('/-/keys')).html, /href="\/-\/ui"/);
  t.match(section(south), /towers\/south" aria-current="page"[^]*towers\/west"/);
  t.notMatch(south, /Nobody|Administration/);
  t.equal(section((await alice.open('/-/keys')).html), '');
  const wheels = (await alice.open('/alice/site/-/x/bell/bells/wheels?of=x')).html;
  t.match(section(wheels), /bells\/ropes"\s*>[^]*bells\/wheels" aria-current="page"/);
  t.match(wheels, /<a href="\/alice\/site\/-\/settings" aria-current="page"\s*>Settings</);
  t.notMatch((await forge.browser('bob').open('/alice/site')).html, /bells\/ropes/);
});

void t.test('assets are immutable, compressed, and loaded by no inline text', async (t) => {
  await using forge = await testHost(bell, { log });
  const { html: text, headers } = await forge.browser().open('/');
  t.match(headers['content-security-policy'], /script-src 'self'; style-src 'self'/);
  t.notMatch(text, /<style|<script(?![^>]*src=)|style="| on\w+="/);
  for (const [, path = ''] of text.matchAll(/(?:href|src)="(\/-\/assets\/[^"]+)"/g)) {
    for (const [accepted, coding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, identity', null],
    ] as const) {
      const answer = await fetch(forge.url + path, { headers: { 'accept-encoding': accepted } });
      t.match([answer.status, answer.headers.get('cache-control')], [200, /immutable/]);
      t.equal(answer.headers.get('content-encoding'), coding);
      t.ok((await answer.text()).length > 50);
    }
    t.equal((await fetch(forge.url + path.replace(/assets\/\w+/, 'assets/0000000000000000'))).status, 404);
  }
});

void t.test('a page loads one script, whose parts do not share names', async (t) => {
  await using forge = await testHost(bell, { log });
  const { html: text } = await forge.browser().open('/');
  const assets = [...text.matchAll(/\/-\/assets\/[^"]+/g)].map(([path]) => path);
  t.strictSame(assets.map((path) => path.slice(path.lastIndexOf('/') + 1)).sort(), ['icon.svg', 'web.css', 'web.js']);
  const script = await (await fetch(forge.url + assets.find((path) => path.endsWith('.js')))).text();
  for (const word of ['details.menu', 'data-key', 'data-copies', 'WebSocket', '.code .marked'])
    t.ok(script.includes(word), word);
  t.doesNotThrow(() => new Script(`'use strict';${script}`), 'no imports, and no name twice');
});

void t.test('without the plugin every page is 404, and REST is unchanged', async (t) => {
  await using forge = await testHost(bell, {
    log,
    environment: { HEXFORGE_PLUGINS: '-web' },
    repositories: ['alice/site'],
  });
  const browser = forge.browser('alice');
  for (const path of [
    '/alice/site',
    '/-/explore',
    '/-/sign-in',
    '/-/oauth2/authorize',
    '/-/x/bell/towers/south',
    '/alice/site/-/tree/main',
  ])
    t.equal((await browser.open(path)).status, 404, path);
  t.match((await browser.open('/')).headers['content-type'], /^application\/json/);
  t.equal((await forge.as('alice').get('/repos/alice/site')).status, 200);
});

void t.test('a panel of a file gets its subject, and the first search box of the menu is shown', async (t) => {
  await using forge = await testHost(bell, { log, repositories: [{ path: 'alice/site', visibility: 'public' }] });
  const alice = forge.as('alice');
  const content = Buffer.from('text').toString('base64');
  await alice.put('/repos/alice/site/contents/a%2Fb.txt', { json: { message: 'First', content } });
  await alice.post('/repos/alice/site/branches', { json: { name: 'topic', base_ref: 'main' } });
  const browser = forge.browser('alice');
  const file = await browser.open('/alice/site/-/blob/main/a/b.txt');
  t.match(file.html, /<p id="file">alice\/site main true a\/b\.txt<\/p>/);
  t.match(
    (await browser.open('/alice/site/-/blob/topic/a/b.txt')).html,
    /<p id="file">alice\/site topic false a\/b\.txt/,
  );
  t.notMatch((await browser.open('/alice/site')).html, /id="file"/);
  t.match(
    file.html,
    /aria-label="Find bells in this repository"[^]*data-suggestions="\/api\/v1\/x\/bell\/suggestions"/,
  );
  t.match(file.html, /<form id="frame-search" method="get" action="\/-\/x\/bell\/towers\/search">/);
  t.notMatch(file.html, /action="\/-\/search"/, 'one box alone');
  t.notMatch((await browser.open('/-/x/bell/towers/search')).html, /frame-search/, 'its own page');
  t.match((await forge.browser().open('/alice/site')).html, /action="\/-\/search"/, 'for others the next one');
});
