// Bots: the accounts of plugins, which reject every sign-in.
import t from 'tap';
import { identityUseCases } from '#core/identity/use-cases';
import { directoriesOf, world } from './world.ts';

const isBot = { message: /./, kind: 'forbidden', code: 'account_is_bot' };
const invalid = { message: /./, kind: 'validation_failed' };

/** A world with the bot of the plugin "lights". */
async function withBot() {
  const here = world();
  await here.listen();
  await here.bots.ensure('lights');
  const { id = '', username = '' } = (await here.bots.of('lights')) ?? {};
  const root = here.as(await here.account('root', { isAdmin: true }));
  return { ...here, id, username, root };
}

void t.test('a bot has the name of its plugin and an ending, and is created once', async (t) => {
  const { bots, id, username, heard, storage, entries } = await withBot();
  t.equal(username, 'lights[bot]');
  await bots.ensure('lights');
  t.same(await bots.of('lights'), { id, username, suspended: false });
  t.equal(await bots.of('light'), undefined);
  await storage.drained();
  t.equal(heard.filter(({ aggregate }) => aggregate === `user:${id}`).length, 1);
  const entry = entries.find(({ resource }) => resource === `user:${id}`);
  t.match(entry, { action: 'user.created', actorUsername: 'system', details: { username, bot_of: 'lights' } });
});

void t.test('no person can take the name of a bot', async (t) => {
  const { root, call, as, account, administration, profiles, settingValues } = await withBot();
  settingValues['signup.enabled'] = true;
  for (const username of ['lights[bot]', 'other[bot]', 'Lights[BOT]']) {
    const wanted = { username, email: 'a@example.org', displayName: '', password: 'correct horse battery' };
    await t.rejects(profiles.register(call(), wanted), invalid, username);
    await t.rejects(administration.create(root, { ...wanted, isAdmin: false }), invalid, username);
  }
  const ada = await account('ada');
  await t.rejects(profiles.update(as(ada), { email: 'no address' }), invalid);
  t.equal((await profiles.public(call(), { username: 'lights[bot]' })).username, 'lights[bot]');
});

void t.test('a bot rejects every sign-in, and has no password', async (t) => {
  const { parts, id, username, root, as, call, administration, recovery, vouching, accountStanding, ...here } =
    await withBot();
  const { sessions, passwordSignIn, tokens, profiles } = identityUseCases({
    ...parts,
    directories: directoriesOf(async () => ({ directory: 'ldap', user: { username } })),
  });
  await t.rejects(sessions.signIn(call(), { username, password: 'a directory says so' }), isBot);
  t.ok(here.actions().includes('user.login_blocked_bot'));
  await t.rejects(passwordSignIn.prove(username, 'for git', { ip: '192.0.2.1', now: new Date() }), isBot);
  await t.rejects(administration.setPassword(root, { id, password: 'correct horse battery' }), isBot);
  await t.rejects(recovery.resetPassword(username), isBot);
  t.equal((await parts.accounts.secured(username))?.passwordHash, '');

  const caller = as({ id, username, isAdmin: false });
  const token = { name: 'mine', scopes: [...parts.scopes.tokenScopes('pat')], expiresAt: undefined };
  await t.rejects(tokens.create(caller, token), { message: /./, kind: 'unauthorized' });
  await t.rejects(
    profiles.changePassword(caller, { current: 'any', next: 'correct horse battery' }),
    { message: /./, kind: 'conflict', code: 'no_password' },
    'no password is the current one',
  );
  await t.rejects(profiles.changePassword(caller, { current: undefined, next: 'correct horse battery' }), {
    code: 'no_password',
  });
  t.equal(await vouching.claims(id), undefined, 'no OAuth2 token');
  t.equal(await parts.unitOfWork.run(() => vouching.held(id)), undefined);
  t.equal(await accountStanding.of(id), undefined, 'no token of a plugin');
});

void t.test('a session or token that the store has for a bot is refused', async (t) => {
  const { parts, id, clock, reads } = await withBot();
  const session = { id: parts.ids.uuid(), userId: id, createdAt: clock.now(), ip: '', userAgent: '' };
  const expiresAt = new Date(clock.now().getTime() + 60_000);
  await parts.unitOfWork.run(() => parts.sessions.insert({ ...session, expiresAt }));
  const claims = { sessionId: session.id, userId: id };
  t.equal(await reads(await parts.sessionTokens.issue(claims, clock.now(), expiresAt)), undefined);
});

void t.test('an administrator suspends and deletes a bot, but gives it no rights or address', async (t) => {
  const { bots, id, username, root, administration, references, storage } = await withBot();
  await t.rejects(administration.update(root, { id, isAdmin: true }), isBot);
  await t.rejects(administration.update(root, { id, email: 'ada@example.org' }), isBot);
  t.equal((await administration.update(root, { id, displayName: 'Lights' })).displayName, 'Lights');

  await administration.update(root, { id, status: 'suspended' });
  t.same(await bots.of('lights'), { id, username, suspended: true });
  await bots.ensure('lights');
  t.match(await bots.of('lights'), { suspended: true }, 'the next start does not end it');

  references.push({ what: 'comments', counts: async () => new Map([[id, 1]]) });
  await t.rejects(administration.delete(root, { id }), { message: /./, kind: 'conflict', detail: /1 comments/ });
  t.match(await bots.of('lights'), { id }, 'kept while something refers to it');
  references.length = 0;
  await administration.delete(root, { id });
  t.equal(await bots.of('lights'), undefined);
  await bots.ensure('lights');
  t.not((await bots.of('lights'))?.id, id, 'the next start creates another one');
  await storage.drained();
});
