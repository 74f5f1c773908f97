// Sign-in by redirect: states, browsers, replays, links and tests of providers, on in-memory stores.
import t from 'tap';
import { BadGateway, Forbidden, NotFound } from '#core/kernel/errors';
import type { ExternalUser, Identified, SignInFlow } from '#core/kernel/access/sign-in-flows';
import { browserFlows } from '#core/identity/external/browser-flows';
import { world } from './world.ts';

const user: ExternalUser = { subject: 's-1', username: 'ada', email: 'ada@example.org', emailVerified: true };

/** A provider `hub` that is enabled, and `draft`, which is not. */
function hub() {
  const w = world();
  const states: string[] = [];
  const flow: SignInFlow = {
    providers: async () => [{ id: 'hub', displayName: 'Hub', startPath: '/api/v1/auth/hub/start' }],
    configured: async () => [
      { id: 'hub', displayName: 'Hub', enabled: true, settings: [], registration: [] },
      { id: 'draft', displayName: 'Draft', enabled: false, settings: [], registration: [] },
    ],
    async start(provider, state) {
      if (!['hub', 'draft'].includes(provider)) throw new NotFound('no such provider');
      states.push(state);
      return { redirectUrl: `https://hub.example/?state=${state}`, kept: `kept for ${states.length}` };
    },
  };
  const built = w.build({ signInFlows: () => [flow] });
  const start = async (cookie?: string, returnTo?: string) => {
    const { flows, redirectUrl } = await built.redirects.start(w.call(), { provider: 'hub', cookie, returnTo });
    return { flows, state: new URL(redirectUrl).searchParams.get('state') ?? '' };
  };
  const kept: string[] = [];
  const finish = (
    cookie: string | undefined,
    state: string | undefined,
    answer: Identified | Error = { user },
    provider = 'hub',
  ) =>
    built.redirects.finish({ ...w.call(), now: w.clock.now() }, { provider, state, cookie }, async (text) => {
      kept.push(text);
      if (answer instanceof Error) throw answer;
      return answer;
    });
  return { ...w, ...built, states, start, finish, kept };
}

const notStarted = { name: 'Forbidden', code: 'sign_in_not_started' };
const replayed = { name: 'Forbidden', code: 'sign_in_replayed' };

void t.test('a browser that started a sign-in finishes it, in the account of the user', async (t) => {
  const w = hub();
  const { flows, state } = await w.start(undefined, '/ada/engine?x=1');
  t.match(state, /^[0-9A-Za-z]{43}$/);
  const arrival = await w.finish(flows, state);
  t.match(arrival, { kind: 'signed in', returnTo: '/ada/engine?x=1', flows: '' });
  t.strictSame(w.kept, ['kept for 1']);
  t.match(w.entries.at(-1), { action: 'user.login', details: { provider: 'hub' }, actorUsername: 'ada' });
});

void t.test('other browsers, states, providers and late answers are refused before the answer is read', async (t) => {
  const w = hub();
  const [mine, other] = [await w.start(), await w.start()];
  for (const [cookie, state] of [
    [undefined, mine.state],
    ['', mine.state],
    [other.flows, mine.state],
    [mine.flows, other.state],
    [mine.flows, undefined],
    [mine.flows, ''],
    [`${mine.flows}x`, mine.state],
    [mine.flows.slice(0, -4), mine.state],
  ] as const)
    await t.rejects(w.finish(cookie, state), notStarted);
  await t.rejects(w.finish(mine.flows, mine.state, { user }, 'draft'), notStarted, 'mix-up of providers');
  w.clock.advance(600_000);
  await t.rejects(w.finish(mine.flows, mine.state), notStarted);
  t.strictSame(w.kept, []);
});

void t.test('a state is used once, also concurrently, and an answer once for all browsers', async (t) => {
  const w = hub();
  const { flows, state } = await w.start();
  const ends = await Promise.allSettled([1, 2, 3].map(() => w.finish(flows, state)));
  t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
  await t.rejects(w.finish(flows, state), replayed);
  const once = { key: 'assertion-1', until: new Date(w.clock.now().getTime() + 60_000) };
  const second = await w.start();
  await w.finish(second.flows, second.state, { user, once });
  t.equal(await w.redirects.isUsed('hub', 'assertion-1'), true);
  t.equal(await w.redirects.isUsed('draft', 'assertion-1'), false);
  const third = await w.start();
  await t.rejects(w.finish(third.flows, third.state, { user, once }), replayed);
  w.clock.advance(601_000);
  await w.pruneSessions();
  t.equal(await w.redirects.isUsed('hub', 'assertion-1'), false);
});

void t.test('several tabs sign in on their own; the cookie stays small', async (t) => {
  const w = hub();
  let cookie: string | undefined;
  const started = [];
  for (let tab = 0; tab < 7; tab += 1) {
    const next = await w.start(cookie, `/${'r'.repeat(1000)}`);
    cookie = next.flows;
    started.push(next.state);
    t.ok(cookie.length < 3900, `${cookie.length}`);
  }
  t.match(await w.finish(cookie, started.at(-1)), { kind: 'signed in' });
  t.match(await w.finish(cookie, started.at(-2)), { kind: 'signed in' });
  await t.rejects(w.finish(cookie, started[0]), notStarted, 'the oldest is forgotten');
  t.match(await w.start(undefined, `/${'r'.repeat(1024)}`), {}, 'a path that is too long is left out');
});

void t.test('a sealed text of another purpose is not a cookie of sign-ins', (t) => {
  const { parts, clock } = world();
  const flows = browserFlows(parts.sealer);
  t.strictSame(flows.read(parts.sealer.seal(new TextEncoder().encode('[]')), clock.now()), []);
  t.strictSame(flows.read('v2.x.y', clock.now()), []);
  t.end();
});

void t.test('a refused answer is logged with its code; a fault of the provider is not', async (t) => {
  const w = hub();
  const first = await w.start();
  const refusal = new Forbidden('No', { code: 'provider_answer_invalid' });
  await t.rejects(w.finish(first.flows, first.state, refusal), { code: 'provider_answer_invalid' });
  t.match(w.entries.at(-1), {
    action: 'user.login_failed',
    details: { surface: 'redirect', provider: 'hub', reason: 'provider_answer_invalid' },
  });
  const { length } = w.entries;
  const second = await w.start();
  await t.rejects(w.finish(second.flows, second.state, new BadGateway('down')), { name: 'BadGateway' });
  const third = await w.start();
  await t.rejects(w.finish(third.flows, third.state, { user: { ...user, subject: '' } }), { name: 'BadGateway' });
  t.equal(w.entries.length, length);
});

void t.test('a redirect makes nobody an administrator, and withdraws nothing', async (t) => {
  const w = hub();
  const claiming: ExternalUser & { readonly isAdmin: boolean } = { ...user, isAdmin: true };
  for (const isAdmin of [true, false, true]) {
    const { flows, state } = await w.start();
    const arrival = await w.finish(flows, state, { user: { ...claiming, isAdmin } as ExternalUser });
    t.match(arrival, { opened: { account: { username: 'ada', isAdmin: false } } });
  }
  t.equal((await w.parts.accounts.byUsername('ada'))?.isAdmin, false);
});

void t.test('an address that is not verified does not find an account', async (t) => {
  const w = hub();
  await w.account('root', { email: 'ada@example.org', isAdmin: true });
  const { flows, state } = await w.start();
  await t.rejects(w.finish(flows, state, { user: { ...user, emailVerified: false } }), { code: 'account_exists' });
  t.equal(w.actions().at(-1), 'user.login_blocked_account_exists');
});

void t.test('linking adds the identity to the account whose session started it, while that lasts', async (t) => {
  const w = hub();
  await w.account('eve');
  const opened = await w.signIn('eve');
  const sessionId = (await w.reads(opened.accessToken))?.credential.id ?? '';
  const eve = w.as(opened.account, { id: sessionId });
  const begin = async () => {
    const { flows, redirectUrl } = await w.redirects.startLink(eve, { provider: 'hub', cookie: undefined });
    return { flows, state: new URL(redirectUrl).searchParams.get('state') ?? '' };
  };
  const first = await begin();
  t.match(await w.finish(first.flows, first.state), { kind: 'linked' });
  t.match(await w.identities.list(eve), [{ provider: 'hub', subject: 's-1', hint: 'ada' }]);
  const signIn = await w.start();
  t.match(await w.finish(signIn.flows, signIn.state), { kind: 'signed in', opened: { account: { username: 'eve' } } });
  const second = await begin();
  await w.sessions.endOne(eve, { id: sessionId });
  await t.rejects(w.finish(second.flows, second.state, { user: { ...user, subject: 's-2' } }), notStarted);
});

void t.test('a test of a provider shows its steps, and changes nothing', async (t) => {
  const w = hub();
  await w.account('root', { isAdmin: true });
  const opened = await w.signIn('root');
  const root = w.as(opened.account, { id: (await w.reads(opened.accessToken))?.credential.id ?? '' });
  const report = async (answer: Identified | Error) => {
    const { flows, redirectUrl } = await w.redirects.startTest(root, { provider: 'draft', cookie: undefined });
    const state = new URL(redirectUrl).searchParams.get('state') ?? '';
    const arrival = await w.finish(flows, state, answer, 'draft');
    return arrival.kind === 'tested' ? arrival.report : undefined;
  };
  const before = [w.entries.length, (await w.parts.accounts.list({ q: undefined, limit: 1, offset: 0 })).total];
  t.match(await report({ user, claims: { sub: 's-1', groups: ['a', 'b'] } }), {
    provider: 'draft',
    steps: [
      { title: 'Answer', outcome: 'good' },
      { title: 'User', about: /subject s-1, username ada, e-mail ada@example.org, which is verified/ },
      { title: 'Account', outcome: 'good', about: 'A sign-in would create the account "ada"' },
    ],
    claims: [
      { name: 'sub', value: 's-1' },
      { name: 'groups', value: '["a","b"]' },
    ],
  });
  t.match(await report({ user: { ...user, username: 'root' } }), {
    steps: [{}, {}, { outcome: 'bad', about: /another account: "root"/ }],
  });
  t.match(await report(new Forbidden('Bad signature', { code: 'provider_answer_invalid' })), {
    steps: [{ title: 'Answer', outcome: 'bad', about: /Bad signature\. {2}\(provider_answer_invalid\)/ }],
  });
  t.strictSame(before, [w.entries.length, (await w.parts.accounts.list({ q: undefined, limit: 1, offset: 0 })).total]);
});

void t.test('a provider that is not enabled starts nothing but tests', async (t) => {
  const w = hub();
  for (const provider of ['draft', 'nobody', ''])
    await t.rejects(w.redirects.start(w.call(), { provider, cookie: undefined, returnTo: undefined }), {
      name: 'NotFound',
    });
});
