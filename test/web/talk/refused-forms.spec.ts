// Tests that a form which is refused, for whatever reason, shows the reason and loses no text.
import t from 'tap';
import { html, HtmlPage } from '#adapters/http/descriptor/html';
import { maybe, oneOf, shape, text, word } from '#adapters/http/descriptor/shape';
import { signedIn, superAdmin } from '#core/kernel/access/access';
import { Conflict, Forbidden, NotFound, RateLimited, Unavailable } from '#core/kernel/errors';
import { definePlugin, PLUGIN_API_VERSION } from '#host/plugin/definition';
import { form, page } from '#host/plugin/pages';
import { testHost } from '#host/sdk/testing';

const reasons = {
  conflict: () => new Conflict('Said twice'),
  forbidden: () => new Forbidden('Locked', { detail: 'By its owner' }),
  missing: () => new NotFound('It is gone'),
  often: () => new RateLimited('Too often', 7),
  down: () => new Unavailable('Git is away', { retryAfter: 9 }),
} as const;

const said = shape({
  reason: maybe(oneOf('conflict', 'forbidden', 'missing', 'often', 'down')),
  body: word().max(10_000),
  hint: maybe(word().max(100)),
  key: maybe(text()),
  mark: maybe(text()),
  more: maybe(text()),
});

const common = { access: signedIn, scope: null, body: said, secrets: ['key'] } as const;
const sends = (id: string, path: string) =>
  form({
    ...common,
    id,
    summary: 'Sends a note',
    path,
    run: async (_call, { body: { reason } }) => {
      if (reason !== undefined) throw reasons[reason]();
      return '/-/x/notes/quiet';
    },
  });

/** A page that shows nothing of a refused form, one that fails, and one whose form is for administrators. */
const notes = definePlugin({
  name: 'notes',
  version: '1.0.0',
  api: `^${PLUGIN_API_VERSION}`,
  pages: () => [
    page({
      id: 'notesQuiet',
      summary: 'A page without messages',
      path: '/quiet',
      access: signedIn,
      scope: null,
      run: () => new HtmlPage({ title: 'Quiet', main: html`<h1>Quiet</h1>` }),
      forms: [
        sends('notesSend', '/quiet'),
        form({
          ...common,
          id: 'notesShort',
          summary: 'A small form',
          path: '/short',
          maxBytes: 50,
          run: async () => '/',
        }),
        form({
          ...common,
          id: 'notesAdmin',
          summary: 'A form of administrators',
          path: '/admin',
          access: superAdmin,
          run: async () => '/',
        }),
      ],
    }),
    page({
      id: 'notesGone',
      summary: 'A page whose subject is gone',
      path: '/gone',
      access: signedIn,
      scope: null,
      run: () => {
        throw new NotFound('The page is gone');
      },
      forms: [sends('notesLost', '/gone')],
    }),
  ],
});

const typed = 'Half an hour of <work>';
/** Members without a bound: a secret, a short text and one of several lines. */
const unbounded = { key: 'Secret\nof two lines', mark: 'Digest', more: 'One line\nand another' } as const;
const shownText =
  /<label for="kept-0">Body<\/label>\s*<textarea[^>]* readonly>\nHalf an hour of &lt;work&gt;<\/textarea>/;

void t.test('a refused form', async (t) => {
  await using forge = await testHost([notes], { users: ['bob'], metering: true });
  const bob = forge.browser('bob');
  const start = await bob.open('/-/x/notes/quiet');
  const post = (path: string, values: Readonly<Record<string, string>>) =>
    bob.submit(
      { ...start, forms: [{ method: 'POST', action: `/-/x/notes/${path}`, fields: {}, buttons: [] }] },
      values,
    );

  for (const [reason, status] of [
    ['conflict', 422],
    ['forbidden', 403],
    ['missing', 404],
    ['often', 429],
  ] as const)
    await t.test(`${reason}: its page says so, and has the text`, async (t) => {
      const page = await post('quiet', { reason, body: typed, hint: 'Short', ...unbounded });
      t.equal(page.status, status);
      t.match(page.html, '<h1>Quiet</h1>');
      t.match(page.html, /role="alert"><b>(?:Said twice|Locked<\/b> By its owner|It is gone|Too often)/);
      t.match(page.html, shownText);
      t.match(page.html, /readonly>\nOne line\nand another</);
      t.notMatch(page.html, /Short|Secret|Digest|start page/);
      if (reason === 'often') t.equal(page.headers['retry-after'], '7');
    });

  await t.test('a page that cannot be shown again: the refusal has the text', async (t) => {
    for (const [path, reason, status] of [
      ['gone', 'missing', 404],
      ['gone', 'conflict', 409],
      ['quiet', 'down', 503],
    ] as const) {
      const page = await post(path, { reason, body: typed, ...unbounded });
      t.equal(page.status, status);
      t.match(page.html, reasons[reason]().message);
      t.match(page.html, shownText);
      t.notMatch(page.html, /Secret|Digest/);
      t.equal(/Reload this page/.test(page.html), status === 503);
    }
  });

  await t.test('a form that is refused before it is read', async (t) => {
    t.match(await post('short', { body: typed.repeat(9) }), { status: 413, html: /readonly>\nHalf an hour/ });
    t.match(await post('admin', { body: typed }), { status: 403, html: shownText });
    t.match(await post('gone', {}), { status: 400, html: /"body" is required|body/ });
    const path = '/-/x/notes/admin';
    const foreign = await bob.request('POST', new URL(path, forge.url), {
      body: new URLSearchParams({ body: typed }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://elsewhere.example' },
    });
    t.equal(foreign.status, 403);
    t.notMatch(String(foreign.body), 'Half an hour', 'not what another site sent');
    const anonymous = await forge.browser().request('POST', new URL(path, forge.url), {
      body: new URLSearchParams({ body: typed }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    t.equal(anonymous.status, 401);
    t.notMatch(String(anonymous.body), 'Half an hour');
  });

  await t.test('a budget that is used up', async (t) => {
    const { id } = await forge.user('bob');
    const { status: set } = await forge.as('admin').put(`/admin/rate-limits/overrides/users/${id}/api.write`, {
      json: { requests_per_window: 1, window_seconds: 60 },
    });
    t.equal(set, 200);
    let last = await post('quiet', { body: typed });
    for (let sent = 0; sent < 5 && last.status !== 429; sent += 1) last = await post('quiet', { body: typed });
    t.equal(last.status, 429);
    t.match(last.html, shownText);
    t.match(last.html, /Reload this page in a moment/);
  });
});
