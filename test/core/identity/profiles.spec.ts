// Self-service accounts, on in-memory stores.
import t from 'tap';
import { usersNamed } from '#core/identity/index';
import { world } from './world.ts';

const registration = { username: 'ada', email: 'ada@example.org', password: 'password', displayName: 'Ada' };

void t.test('profiles', async (t) => {
  await t.test('registration is closed by default, and open by its setting', async (t) => {
    const w = world();
    await t.rejects(w.profiles.register(w.call(), registration), { name: 'Forbidden', code: 'signup_disabled' });
    w.settingValues['signup.enabled'] = true;
    const ada = await w.profiles.register(w.call(), registration);
    t.match(ada, {
      username: 'ada',
      displayName: 'Ada',
      isAdmin: false,
      emailVerified: false,
      approval: undefined,
      status: 'active',
    });
    t.match(w.entries.at(-1), { action: 'user.registered', actorId: ada.id, actorUsername: 'ada' });
    await t.rejects(w.profiles.register(w.call(), { ...registration, username: 'ADA' }), { name: 'Conflict' });
    t.equal((await w.signIn('ada', 'password')).account.id, ada.id);
  });

  await t.test('with required approval a registration is pending and hidden', async (t) => {
    const w = world();
    w.settingValues['signup.enabled'] = true;
    w.settingValues['signup.require_approval'] = true;
    t.equal((await w.profiles.register(w.call(), registration)).approval, 'pending');
    await t.rejects(w.profiles.public(w.call(), { username: 'ada' }), { name: 'NotFound' });
    await t.rejects(w.signIn('ada', 'password'), { code: 'approval_pending' });
  });

  await t.test('a profile is updated per member; a new address is not verified', async (t) => {
    const w = world();
    const ada = await w.account('ada');
    await w.account('eve');
    const changed = await w.profiles.update(w.as(ada), { displayName: 'Ada L.', email: 'new@example.org' });
    t.match(changed, {
      displayName: 'Ada L.',
      email: 'new@example.org',
      emailVerified: false,
      bio: '',
      lastActiveAt: w.clock.now(),
    });
    t.strictSame(await w.profiles.own(w.as(ada)), changed);
    t.match(w.entries.at(-1), { action: 'user.updated', details: { fields: ['display_name', 'email'] } });
    await t.rejects(w.profiles.update(w.as(ada), { email: 'EVE@example.org' }), {
      name: 'Conflict',
      message: 'The e-mail address is taken',
    });
    t.equal(
      (await w.profiles.update(w.as(ada), { email: 'NEW@example.org' })).email,
      'NEW@example.org',
      'the same address in another case',
    );
    await t.rejects(w.profiles.update(w.as(ada), { avatarUrl: 'javascript:1' }), { name: 'ValidationFailed' });
  });

  await t.test('a changed password ends other sessions but not the current one; a wrong one is counted', async (t) => {
    const w = world();
    const ada = await w.account('ada');
    const [here, there] = [await w.signIn('ada'), await w.signIn('ada')];
    const call = w.as(ada, { id: (await w.reads(here.accessToken))?.credential.id ?? '' });
    await t.rejects(w.profiles.changePassword(call, { current: 'wrong', next: 'new password' }), {
      name: 'Forbidden',
      code: 'wrong_password',
    });
    await t.rejects(w.profiles.changePassword(call, { current: 'password of ada', next: 'short' }), {
      name: 'ValidationFailed',
      detail: /^"new_password"/,
    });
    await w.profiles.changePassword(call, { current: 'password of ada', next: 'new password' });
    t.ok(await w.reads(here.accessToken));
    t.equal(await w.reads(there.accessToken), undefined);
    t.ok(await w.signIn('ada', 'new password'));
    for (let time = 0; time < 10; time += 1)
      await t.rejects(w.profiles.changePassword(call, { current: 'wrong', next: 'new password' }), {
        name: 'Forbidden',
      });
    await t.rejects(w.profiles.changePassword(call, { current: 'new password', next: 'other password' }), {
      name: 'RateLimited',
    });
  });

  await t.test('others can fetch a user by name in any case, also a suspended one', async (t) => {
    const w = world();
    const ada = await w.account('Ada');
    await w.parts.unitOfWork.run(() => w.parts.accounts.update(ada.id, { status: 'suspended' }));
    t.equal((await w.profiles.public(w.call(), { username: 'aDA' })).id, ada.id);
    for (const name of ['nobody', 'ada@example.org', '', '\0', '../x'])
      await t.rejects(w.profiles.public(w.call(), { username: name }), { name: 'NotFound' });
    t.strictSame(await w.users.byUsername('ADA'), { id: ada.id, username: 'Ada', displayName: '', avatarUrl: '' });
    t.equal(await w.users.byUsername('no one'), undefined);
    const named = (usernames: readonly string[]) =>
      usersNamed(w.users, { member: 'reviewers', usernames, most: 2 }).then((all) => all.map(({ id }) => id));
    t.strictSame(await named(['aDA', 'ada']), [ada.id]);
    t.strictSame(await named([]), []);
    await t.rejects(named(['ada', 'no one']), { name: 'ValidationFailed', detail: '"reviewers" names "no one"' });
    await t.rejects(named(['a', 'b', 'c']), {
      name: 'ValidationFailed',
      detail: '"reviewers" has 3 names, and may have 2',
    });
    t.strictSame([...(await w.users.byIds([ada.id, ada.id, 'x'])).keys()], [ada.id]);
    t.equal((await w.users.byIds([])).size, 0);
  });
});
