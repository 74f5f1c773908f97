// Tests how long a browser stays signed in on pages: the page token renews the session until the session ends.
import t from 'tap';
import { html, HtmlPage } from '#adapters/http/descriptor/html';
import { shape, text } from '#adapters/http/descriptor/shape';
import { signedIn } from '#core/kernel/access/access';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { form, page } from '#host/plugin/pages';
import { testHost, type TestHost } from '#host/sdk/testing';

const minute = 60_000;
const day = 24 * 60 * minute;

const sent: string[] = [];
const notes = definePlugin({
  name: 'notes',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  pages: () => [
    page({
      id: 'notesPage',
      summary: 'A note',
      path: '/note',
      access: signedIn,
      scope: null,
      run: () =>
        new HtmlPage({ title: 'Note', main: html`<form method="post"><textarea name="text"></textarea></form>` }),
      forms: [
        form({
          id: 'notesWrite',
          summary: 'Writes a note',
          path: '/note',
          access: signedIn,
          scope: null,
          body: shape({ text: text() }),
          run: async ({ caller }, { body }) => {
            sent.push(`${caller.username}: ${body.text}`);
            return '/-/x/notes/note';
          },
        }),
      ],
    }),
  ],
});
const path = '/-/x/notes/note';

type Browser = ReturnType<TestHost['browser']>;

async function signIn(forge: TestHost, username: string): Promise<Browser> {
  const { password } = await forge.user(username);
  const browser = forge.browser();
  await browser.submit(await browser.open('/-/sign-in'), { username, password });
  return browser;
}

const isIn = async (browser: Browser): Promise<boolean> => (await browser.open(path)).path === path;

void t.test('the session of a browser', async (t) => {
  await using forge = await testHost(notes);
  const alice = await signIn(forge, 'alice');
  const { svc_access_token: first, svc_page_session: kept } = alice.cookies;

  await t.test('a page renews it when the access token has expired, for all tabs at once', async (t) => {
    t.ok(await isIn(alice));
    t.equal(alice.cookies['svc_access_token'], first, 'a valid token is kept');
    await forge.advance(16 * minute);
    t.strictSame(await Promise.all([1, 2, 3].map(() => isIn(alice))), [true, true, true]);
    t.not(alice.cookies['svc_access_token'], first);
    t.not(alice.cookies['svc_page_session'], kept);
    const old = { cookie: `svc_page_session=${kept ?? ''}` };
    const answer = await forge.anonymous.get(new URL(path, forge.url), { headers: old });
    t.equal(answer.status, 200, 'a page opened at the same time may still have the earlier token');
    t.strictSame(
      answer.headers['set-cookie']?.map((line) => line.replace(/=[^;]+/, '')),
      [
        'svc_access_token; Max-Age=900; Path=/; HttpOnly; SameSite=Lax',
        'svc_page_session; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax',
      ],
    );
  });

  await t.test('a form that was open for an hour is accepted', async (t) => {
    const page = await alice.open(path);
    await forge.advance(60 * minute);
    t.match(await alice.submit(page, { text: 'a long text' }), { status: 200, path });
    t.strictSame(sent, ['alice: a long text']);
    await forge.advance(60 * minute);
    const { svc_page_session: token = '' } = alice.cookies;
    const foreign = await forge.anonymous.post(new URL(path, forge.url), {
      body: 'text=evil',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `svc_page_session=${token}`,
        origin: 'https://evil.example',
      },
    });
    t.strictSame([foreign.status, sent.length], [403, 1], 'not one of another site');
  });

  await t.test('REST does not accept the page token, nor an expired access token', async (t) => {
    const { svc_page_session: token = '', svc_access_token: access = '' } = alice.cookies;
    await forge.advance(60 * minute);
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await forge.anonymous.get('/oauth2/authorize', { headers })).status;
    for (const cookie of [`svc_page_session=${token}`, `svc_access_token=${token}`, `svc_access_token=${access}`])
      t.equal(await status({ cookie }), 401, cookie.slice(0, 20));
    t.equal((await forge.anonymous.get('/user', { headers: { authorization: `Bearer ${token}` } })).status, 401);
    const misplaced = { cookie: `svc_page_session=${access}` };
    const page = await forge.anonymous.get(new URL(path, forge.url), { headers: misplaced });
    t.equal(page.status, 303, 'an access token is not a page token');
  });

  await t.test('a use within 30 days keeps it alive', async (t) => {
    for (let days = 0; days < 3; days += 1) {
      await forge.advance(29 * day);
      t.ok(await isIn(alice));
    }
    await forge.advance(30 * day);
    t.notOk(await isIn(alice));
    t.equal(alice.cookies['svc_page_session'], undefined, 'the cookie of an ended session is removed');
  });
});

void t.test('a session that has ended is not renewed', async (t) => {
  await using forge = await testHost(notes);
  const admin = forge.as('admin');
  const endings: Readonly<Record<string, (browser: Browser, id: string) => Promise<unknown>>> = {
    'signing out in another tab': async (browser) =>
      browser.submit(await browser.open('/-/sign-out'), {}, 0).then(() => undefined),
    'a changed password': async () => {
      const { password } = await forge.user('bob');
      const other = await forge.anonymous.post('/auth/login', { json: { username: 'bob', password } });
      const { access_token: token } = other.body as { access_token: string };
      const json = { current_password: password, new_password: password };
      return forge.anonymous.post('/user/password', { json, headers: { authorization: `Bearer ${token}` } });
    },
    'revoked credentials': (_browser, id) => admin.post(`/admin/users/${id}/revoke-tokens`),
    'a reused refresh token': async (browser) => {
      const cookie = `svc_refresh_token=${browser.cookies['svc_refresh_token'] ?? ''}`;
      await forge.anonymous.post('/auth/refresh', { headers: { cookie } });
      return forge.anonymous.post('/auth/refresh', { headers: { cookie } });
    },
    'a suspended account': (_browser, id) => admin.patch(`/admin/users/${id}`, { json: { status: 'suspended' } }),
  };
  const { id } = await forge.user('bob');
  for (const [what, end] of Object.entries(endings)) {
    const browser = await signIn(forge, 'bob');
    const page = await browser.open(path);
    const token = browser.cookies['svc_page_session'] ?? '';
    await end(browser, id);
    await forge.advance(16 * minute);
    const answer = await forge.anonymous.get(new URL(path, forge.url), {
      headers: { cookie: `svc_page_session=${token}` },
    });
    t.equal(answer.status, 303, what);
    t.match(answer.headers['set-cookie'], [/^svc_page_session=; Max-Age=0/], what);
    t.match(await browser.submit(page, { text: 'lost?' }), { status: 401, html: /What you typed is not lost/ }, what);
    t.notOk(await isIn(browser), what);
  }
  t.notMatch(sent.join(), /lost/);
});

void t.test('a live channel accepts the page token, from its own origin alone', async (t) => {
  await using forge = await testHost([], { repositories: ['alice/site'] });
  const alice = forge.as('alice');
  const json = { message: 'One', content: '', branch: 'main' };
  await alice.put('/repos/alice/site/contents/one', { json });
  await alice.post('/repos/alice/site/branches', { json: { name: 'topic', base_ref: 'main' } });
  await alice.put('/repos/alice/site/contents/two', { json: { ...json, branch: 'topic' } });
  const merge = { title: 'One', source_branch: 'topic', target_branch: 'main' };
  t.equal((await alice.post('/repos/alice/site/merges', { json: merge })).status, 201);
  const browser = await signIn(forge, 'alice');
  await forge.advance(16 * minute);
  const cookie = `svc_page_session=${browser.cookies['svc_page_session'] ?? ''}`;
  const open = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await forge.anonymous.get(new URL('/ws/repos/alice/site/merges/1', forge.url), { headers })).status;
  t.equal(await open({ cookie, origin: forge.url }), 426, 'only the handshake is missing');
  t.equal(await open({ cookie, origin: 'https://evil.example' }), 403);
  t.equal(await open({ origin: forge.url }), 404, 'the repository is private');
});
