// The test host runs jobs, asks probes, moves jobs by the clock, and opens pages as a browser does.
import t from 'tap';
import {
  anyone,
  api,
  definePlugin,
  html,
  HtmlPage,
  maybe,
  reply,
  shape,
  signedIn,
  word,
  type Call,
} from 'hexforge/plugin';
import { testHost } from 'hexforge/testing';

const base = { version: '1.0.0', api: '^0.2.0' } as const;

const ran: string[] = [];
const bell = definePlugin({
  ...base,
  name: 'bell',
  needs: ['Clock'],
  jobs: (_parts, { Clock }) => [
    { name: 'strike', everySeconds: 3600, run: async () => void ran.push(`strike ${Clock.now().toISOString()}`) },
    { name: 'oil', everySeconds: 5400, run: async () => void ran.push(`oil ${Clock.now().toISOString()}`) },
    {
      name: 'break',
      everySeconds: 100_000,
      run: async () => {
        throw new Error('no rope');
      },
    },
    { name: 'tick', everySeconds: 1_000_000, run: async () => undefined },
  ],
  probes: () => [
    { name: 'rope', check: async () => undefined },
    { name: 'clapper', check: async () => 'The clapper is loose' },
  ],
});

void t.test('a job runs once when it is asked for, and its error reaches the test', async (t) => {
  await using forge = await testHost(bell);
  ran.length = 0;
  await forge.runJob('bell', 'oil');
  t.strictSame(ran, ['oil 2026-01-01T00:00:00.000Z']);
  await t.rejects(forge.runJob('bell', 'break'), { message: 'no rope' });
  await t.rejects(forge.runJob('bell', 'ring'), {
    message: 'plugin "bell" has no job "ring", only "strike", "oil", "break", "tick"',
  });
  await t.rejects(forge.runJob('bel', 'ring'), { message: 'plugin "bel" has no job "ring"' });
});

void t.test('a probe returns its problem, or undefined', async (t) => {
  await using forge = await testHost(bell);
  t.equal(await forge.probe('bell', 'rope'), undefined);
  t.equal(await forge.probe('bell', 'clapper'), 'The clapper is loose');
  await t.rejects(forge.probe('bell', 'tower'), {
    message: 'plugin "bell" has no probe "tower", only "rope", "clapper"',
  });
});

void t.test('jobs run at the times at which they are due when the clock is moved', async (t) => {
  await using forge = await testHost(bell);
  ran.length = 0;
  await forge.advance(3_599_999);
  t.strictSame(ran, []);
  await forge.advance(1 + 3 * 3_600_000);
  t.strictSame(ran, [
    'strike 2026-01-01T01:00:00.000Z',
    'oil 2026-01-01T01:30:00.000Z',
    'strike 2026-01-01T02:00:00.000Z',
    'strike 2026-01-01T03:00:00.000Z',
    'oil 2026-01-01T03:00:00.000Z',
    'strike 2026-01-01T04:00:00.000Z',
  ]);
  t.equal(forge.clock.now().toISOString(), '2026-01-01T04:00:00.000Z');
  await t.rejects(forge.advance(100_000_000), { message: 'no rope' });
});

void t.test('the number of runs in one move of the clock is bounded', async (t) => {
  const restless = definePlugin({
    ...base,
    name: 'restless',
    jobs: () => [{ name: 'tick', everySeconds: 60, run: async () => undefined }],
  });
  await using forge = await testHost(restless);
  await t.rejects(forge.advance(60_000 * 10_001), {
    name: 'RangeError',
    message: 'the jobs are due more than 10000 times in 600060000 ms',
  });
});

const form = (word_: string) =>
  new HtmlPage({
    title: 'Guest book',
    main: html`<form method="post">
      <input type="hidden" name="ticket" value="a&amp;b" />
      <input name="word" value="${word_}" />
      <input type="checkbox" name="loud" checked />
      <input type="checkbox" name="soft" />
      <textarea name="note">Mind the "gap"</textarea>
      <select name="tower">
        <option value="north">North</option>
        <option value="south" selected>South</option>
      </select>
      <button name="go" value="yes">Go</button>
    </form>`,
  });

const text = () => maybe(word());
const book = definePlugin({
  ...base,
  name: 'book',
  routes: () => [
    api({
      id: 'bookRead',
      summary: 'Shows the form',
      method: 'GET',
      path: '/',
      access: anyone,
      scope: null,
      cookies: true,
      result: 'html',
      run: () => form('a "word"'),
    }),
    api({
      id: 'bookWrite',
      summary: 'Takes the form',
      method: 'POST',
      path: '/',
      access: anyone,
      scope: null,
      cookies: true,
      form: true,
      body: shape({
        ticket: text(),
        word: text(),
        loud: text(),
        soft: text(),
        note: text(),
        tower: text(),
        go: text(),
      }),
      result: 'html',
      run: (_call, { body }) =>
        reply(form(JSON.stringify(body)), { status: 303, headers: { location: '/api/v1/x/book/thanks' } }),
    }),
    api({
      id: 'bookThanks',
      summary: 'Says thanks',
      method: 'GET',
      path: '/thanks',
      access: signedIn,
      scope: null,
      cookies: true,
      result: 'html',
      run: ({ caller }: Call) =>
        new HtmlPage({ title: 'Thanks', main: html`<p>${caller.kind === 'user' ? caller.username : 'nobody'}</p>` }),
    }),
  ],
});

void t.test('a browser signs in, fills in a form and follows the redirect', async (t) => {
  await using forge = await testHost(book);
  const browser = forge.browser('alice');
  const page = await browser.open('/api/v1/x/book');
  t.match(page, { status: 200, path: '/api/v1/x/book' });
  t.strictSame(page.forms[0], {
    method: 'POST',
    action: '/api/v1/x/book',
    fields: { ticket: 'a&b', word: 'a "word"', loud: 'on', note: 'Mind the "gap"', tower: 'south' },
    buttons: [{ name: 'go', value: 'yes' }],
  });
  t.ok(Object.keys(browser.cookies).length > 0, 'it keeps the cookies of the session');
  const thanks = await browser.submit(page, { word: 'ding', go: 'yes' });
  t.match(thanks, { status: 200, path: '/api/v1/x/book/thanks', html: /<p>alice<\/p>/ });
  const { length } = thanks.forms;
  await t.rejects(browser.submit(thanks, {}, length), {
    message: `the page /api/v1/x/book/thanks has no form ${length + 1}, only ${length}`,
  });
});

void t.test('a browser without a user is anonymous, and browsers do not share cookies', async (t) => {
  await using forge = await testHost(book);
  await forge.browser('alice').open('/api/v1/x/book/thanks');
  const browser = forge.browser();
  t.match(await browser.open('/api/v1/x/book/thanks'), { status: 200, path: /^\/-\/sign-in\?return_to=/ });
  t.strictSame(browser.cookies, {});
});
