// Calls by the bot of a plugin: what they may do, when they are refused, and which budget they use.
import t from 'tap';
import { fixedClock } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import { changes, session, signedIn } from '#core/kernel/access/access';
import { accessDecision, scopeCatalogue, type RateRefusal } from '#core/kernel/index';
import { memoryRateCounter } from '#core/kernel/limits/memory-rate-counter';
import { hostBot } from '#host/plugin/bots';

function world() {
  const clock = fixedClock('2030-01-01T00:00:00Z');
  const accounts = new Map<string, { id: string; username: string; suspended: boolean }>();
  const refusals: RateRefusal[] = [];
  const counter = memoryRateCounter();
  const bots = hostBot({
    accounts: () => ({ ensure: async () => undefined, of: async (plugin) => accounts.get(plugin) }),
    budgets: () => ({
      budget: async (meter) => ({ limit: meter === 'api.write' ? 1 : 5, windowSeconds: 60, window: 'fixed' }),
      refused: (refusal) => refusals.push(refusal),
    }),
    rateCounter: () => counter,
    clock,
    ids: systemIds,
  });
  const add = (plugin: string) =>
    accounts.set(plugin, { id: `id of ${plugin}`, username: `${plugin}[bot]`, suspended: false });
  return { clock, accounts, bots, add, refusals };
}

void t.test('a call is by the account of the plugin, and reads it again when it is renewed', async (t) => {
  const { clock, accounts, bots, add } = world();
  const bot = bots.of('lights');
  await t.rejects(bot.call(), { message: /lights/, kind: 'unavailable' });
  await t.rejects(bot.account(), { message: /lights/, kind: 'unavailable' });
  add('lights');
  add('other');
  t.same(await bot.account(), { id: 'id of lights', username: 'lights[bot]' });
  const { signal } = new AbortController();
  const call = await bot.call(signal);
  t.match(call.caller, { kind: 'user', id: 'id of lights', username: 'lights[bot]', isAdmin: false });
  t.match(call.caller.credential, { kind: 'bot', id: 'lights' });
  t.equal(call.signal, signal);
  t.notOk((await bot.call()).signal.aborted);
  clock.advance(1000);
  t.match(await call.renew(), { requestId: call.requestId, signal, now: clock.now() });

  accounts.set('lights', { id: 'id of lights', username: 'lights[bot]', suspended: true });
  for (const refused of [bot.call(), call.renew()])
    await t.rejects(refused, { message: /lights\[bot\]/, kind: 'forbidden', code: 'account_suspended' });
  accounts.delete('lights');
  await t.rejects(call.renew(), { message: /./, kind: 'unavailable' });
});

void t.test('a bot is signed in, but has no session, and no rights of an administrator', async (t) => {
  const { bots, add } = world();
  add('lights');
  const call = await bots.of('lights').call();
  const access = accessDecision({
    scopes: scopeCatalogue([]),
    adminGrants: () => undefined,
    isPermission: () => true,
    resolvers: () => [{ repository: async () => undefined }],
  });
  const forbidden = { message: /./, kind: 'forbidden' };
  t.equal(await access.decide(call, signedIn, undefined, {}), undefined);
  await t.rejects(access.decide(call, session, undefined, {}), forbidden);
  await t.rejects(access.decide(call, { who: 'super-admin' }, undefined, {}), forbidden);
  await t.rejects(access.decide(call, { who: 'admin', scopes: ['admin:users'] }, undefined, {}), forbidden);
  await t.rejects(access.decide(call, changes('repository', 'repo.write'), undefined, {}), {
    message: /./,
    kind: 'not_found',
  });
});

void t.test('the calls of each bot use the budget of its account', async (t) => {
  const { bots, add, refusals, clock } = world();
  add('lights');
  add('other');
  const call = await bots.of('lights').call();
  await call.charge?.('api.write');
  const again = await call.renew();
  await t.rejects(again.charge?.('api.write') ?? Promise.resolve(), { message: /./, kind: 'rate_limited' });
  t.match(refusals, [{ subject: 'user:id of lights', scope: 'api.write', method: 'BOT', path: 'lights', ip: '' }]);
  await again.charge?.('api.read');
  await (await bots.of('other').call()).charge?.('api.write');
  clock.advance(60_000);
  await call.charge?.('api.write');
});
