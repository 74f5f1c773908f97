// Linking and unlinking external identities, and the first password of an account, on in-memory stores.
import t from 'tap';
import type { SignInFlow } from '#core/kernel/access/sign-in-flows';
import { signInKey } from '#core/identity/sign-in/sign-in-throttle';
import { directoriesOf, world } from './world.ts';

const flow: SignInFlow = {
  providers: async () => [{ id: 'hub', displayName: 'Hub', startPath: '/start' }],
  start: async () => ({ redirectUrl: 'https://hub.example/', kept: '' }),
};

/** A directory `corp` that accepts the password "right" for every name, with the name as the subject. */
function corp({ subjects = true } = {}) {
  const w = world();
  const directories = directoriesOf(async (username, password) =>
    password === 'right'
      ? { directory: 'corp', user: { username, ...(subjects && { subject: username }) } }
      : undefined,
  );
  const built = w.build({ directories, signInFlows: () => [flow] });
  const session = async (username: string, password?: string) => {
    const opened = await built.sessions.signIn(w.call(), { username, password: password ?? `password of ${username}` });
    const read = await built.credentialReader.read(opened.accessToken, w.clock.now());
    return w.as(opened.account, { id: read?.credential.id ?? '' });
  };
  const link = (caller: Awaited<ReturnType<typeof session>>, username: string, password = 'right') =>
    built.identities.linkByPassword(caller, { provider: 'corp', username, password });
  return { ...w, ...built, session, link };
}

void t.test('a linked directory user signs in to the account, and no longer when it is unlinked', async (t) => {
  const w = corp();
  const { id } = await w.account('ada');
  const ada = await w.session('ada');
  const linked = await w.link(ada, 'lovelace');
  t.match(linked, { provider: 'corp', subject: 'lovelace', hint: 'lovelace', userId: id });
  t.strictSame(await w.identities.list(ada), [linked]);
  t.match(await w.session('lovelace', 'right'), { caller: { id } });
  t.strictSame(await w.link(ada, 'lovelace'), linked, 'linking it again changes nothing');
  await w.identities.unlink(ada, { id: linked.id });
  t.strictSame(await w.identities.list(ada), []);
  t.match(await w.session('lovelace', 'right'), { caller: { username: 'lovelace' } }, 'a new account');
  t.match(
    w.entries.filter(({ action }) => action.startsWith('identity.')).map(({ action, actorId }) => [action, actorId]),
    [
      ['identity.linked', id],
      ['identity.unlinked', id],
      ['identity.linked', undefined],
    ],
  );
});

void t.test('an identity of another account, a wrong password and a directory without ids are refused', async (t) => {
  const w = corp();
  await w.account('ada');
  await w.account('eve');
  const [ada, eve] = [await w.session('ada'), await w.session('eve')];
  const linked = await w.link(ada, 'lovelace');
  await t.rejects(w.link(eve, 'lovelace'), { name: 'Conflict', code: 'identity_taken' });
  await t.rejects(w.identities.unlink(eve, { id: linked.id }), { name: 'NotFound' });
  for (let time = 0; time < 10; time += 1)
    await t.rejects(w.link(eve, 'someone', 'wrong'), { name: 'Forbidden', code: 'wrong_password' });
  await t.rejects(w.link(eve, 'someone'), { name: 'RateLimited' });
  const named = corp({ subjects: false });
  await named.account('ada');
  await t.rejects(named.link(await named.session('ada'), 'ada'), { name: 'Unprocessable' });
});

void t.test('an account has at most 20 identities', async (t) => {
  const w = corp();
  await w.account('ada');
  const ada = await w.session('ada');
  for (let number = 0; number < 20; number += 1) await w.link(ada, `user-${number}`);
  await t.rejects(w.link(ada, 'one-more'), { name: 'Unprocessable', detail: /at most 20/ });
});

void t.test('the last way in is kept: a password or an identity of a provider that is there', async (t) => {
  const w = corp();
  const ada = await w.session('ada', 'right');
  const [own] = await w.identities.list(ada);
  const refused = { name: 'Conflict', code: 'last_way_in' };
  await t.rejects(w.identities.unlink(ada, { id: own?.id ?? '' }), refused);
  t.equal(await w.identities.dependsOn(ada, 'corp'), true);
  t.equal(await w.identities.dependsOn(ada, 'hub'), false);
  const user = { username: 'ada', emailVerified: false };
  await w.identities.link(w.call(), ada.caller.id, 'gone', { ...user, subject: '1' });
  await t.rejects(w.identities.unlink(ada, { id: own?.id ?? '' }), refused, 'a provider that is off is no way in');
  await w.identities.link(w.call(), ada.caller.id, 'hub', { ...user, subject: '1' });
  t.equal(await w.identities.dependsOn(ada, 'corp'), false);
  await w.identities.unlink(ada, { id: own?.id ?? '' });
  t.equal((await w.identities.list(ada)).length, 2);
});

void t.test('an account without a password gets its first one soon after a sign-in', async (t) => {
  const w = corp();
  const ada = await w.session('ada', 'right');
  const change = (current?: string) => w.profiles.changePassword(ada, { current, next: 'correct horse battery' });
  await t.rejects(change('guess'), { name: 'Conflict', code: 'no_password' });
  await t.rejects(change(''), { code: 'no_password' });
  w.clock.advance(601_000);
  const late = { ...ada, now: w.clock.now() };
  const first = { current: undefined, next: 'correct horse battery' };
  await t.rejects(w.profiles.changePassword(late, first), { code: 'no_password' });
  const again = await w.session('ada', 'right');
  await w.profiles.changePassword(again, first);
  t.match(w.entries.at(-1), { action: 'user.password_changed', details: { first: true } });
  t.ok(await w.session('ada', 'correct horse battery'));
  await t.rejects(
    w.profiles.changePassword(again, first),
    { name: 'ValidationFailed' },
    'the current one is required now',
  );
  const [identity] = await w.identities.list(again);
  await w.identities.unlink(again, { id: identity?.id ?? '' });
});

void t.test('unlinking two identities at once leaves one way in', async (t) => {
  const w = corp();
  const ada = await w.session('ada', 'right');
  await w.link(ada, 'second');
  const all = await w.identities.list(ada);
  const ends = await Promise.allSettled(all.map(({ id }) => w.identities.unlink(ada, { id })));
  t.strictSame(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

void t.test('a link with the own password of a directory does not allow more guesses of another one', async (t) => {
  const w = corp();
  await w.account('eve');
  const eve = await w.session('eve');
  for (let time = 0; time < 10; time += 1) {
    await t.rejects(w.link(eve, 'victim', `guess ${time}`), { code: 'wrong_password' });
    await w.link(eve, 'eve-at-corp');
  }
  await t.rejects(w.link(eve, 'victim'), { name: 'RateLimited' });
  await t.rejects(w.session('Victim', 'right'), { name: 'RateLimited' }, 'the count is that of sign-ins');
});

void t.test('tests of a directory by an administrator count as sign-ins: a wrong password is a guess', async (t) => {
  const w = world();
  const directories = {
    ...directoriesOf(async () => undefined),
    inspect: async (_directory: string, username: string, password: string | undefined) => ({
      steps: [],
      user: password === 'right' ? { username, subject: username } : undefined,
    }),
  };
  const { trials } = w.build({ directories });
  const root = w.as(await w.account('root', { isAdmin: true }));
  const tried = (username: string, password?: string) =>
    trials.run(root, { directory: 'corp', username, ...(password !== undefined && { password }) });
  for (let time = 0; time < 10; time += 1) t.strictSame(await tried('ada', `guess ${time}`), []);
  await t.rejects(tried('ada', 'right'), { name: 'RateLimited' });
  t.strictSame(await tried('ada'), [], 'a search needs no password');
  t.match(await tried('eve', 'right'), [{ title: 'User' }, { title: 'Account' }]);
});

void t.test('spellings of a name that a directory may take for the same share one failure count', (t) => {
  const spellings = ['ada', 'ADA', 'ａda', 'àda', 'ada\u0301', 'ÀDÁ'];
  t.equal(new Set(spellings.map((name) => signInKey(name, '192.0.2.1'))).size, 1);
  t.equal(signInKey('Straße', '192.0.2.1'), signInKey('STRASSE', '192.0.2.1'));
  t.not(signInKey('ada', '192.0.2.1'), signInKey('adb', '192.0.2.1'));
  t.not(signInKey('ada', '192.0.2.1'), signInKey('ada', '198.51.100.1'));
  t.end();
});
