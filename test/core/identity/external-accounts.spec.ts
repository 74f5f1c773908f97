// Accounts of external users: created, found again, and refused, on in-memory stores.
import t from 'tap';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import { usernameCandidates, claimedUsername } from '#core/identity/external/usernames';
import { directoriesOf, world } from './world.ts';

/** A directory that accepts the password "right" and returns this user. */
function corp(user: DirectoryUser) {
  const w = world();
  const state = { user };
  const directories = directoriesOf(async (_username, password) =>
    password === 'right' ? { directory: 'corp', user: state.user } : undefined,
  );
  const built = w.build({ directories });
  const login = () => built.sessions.signIn(w.call(), { username: state.user.username, password: 'right' });
  return { ...w, ...built, state, login };
}

const ada = { username: 'ada', subject: 'u-1', email: 'ada@example.org', displayName: 'Ada Lovelace' };

void t.test('the first sign-in creates an account without a password; the next one finds it', async (t) => {
  const w = corp(ada);
  const first = await w.login();
  t.match(first.account, {
    username: 'ada',
    email: 'ada@example.org',
    displayName: 'Ada Lovelace',
    isAdmin: false,
    emailVerified: true,
    approval: undefined,
  });
  t.strictSame(w.actions(), ['user.created', 'identity.linked', 'user.login']);
  t.equal((await w.parts.accounts.secured('ada'))?.passwordHash, '');
  w.state.user = { username: 'ada2', subject: 'u-1', email: 'other@example.org' };
  const again = await w.login();
  t.match(
    again.account,
    { id: first.account.id, username: 'ada', email: 'ada@example.org' },
    'only the subject counts',
  );
  await w.listen();
  t.match(
    w.heard.map(({ type, payload }) => [type, payload]),
    [
      ['user.created', { username: 'ada' }],
      ['identity.linked', { userId: first.account.id, provider: 'corp' }],
    ],
  );
});

void t.test('concurrent first sign-ins of one user create one account', async (t) => {
  const w = corp(ada);
  const opened = await Promise.all(Array.from({ length: 8 }, () => w.login()));
  t.equal(new Set(opened.map(({ account }) => account.id)).size, 1);
  t.equal((await w.parts.accounts.list({ q: undefined, limit: 9, offset: 0 })).total, 1);
});

void t.test('a name of an account with a password, or the address of any account, is refused', async (t) => {
  const w = corp(ada);
  const owner = await w.account('ada', { email: 'elsewhere@example.org' });
  await t.rejects(w.login(), { name: 'Forbidden', code: 'account_exists' });
  t.match(w.entries.at(-1), { action: 'user.login_blocked_account_exists', resource: `user:${owner.id}` });
  w.state.user = { ...ada, username: 'countess', email: 'ELSEWHERE@example.org' };
  await t.rejects(w.login(), { code: 'account_exists' });
  w.settingValues['auth.auto_create'] = false;
  await t.rejects(w.login(), { code: 'account_exists' });
  w.state.user = { ...ada, username: 'countess' };
  await t.rejects(w.login(), { code: 'account_unknown' });
});

void t.test('names that are illegal, reserved or of another external user are altered', async (t) => {
  const w = corp(ada);
  const named = async (username: string, subject: string): Promise<string> => {
    w.state.user = { username, subject };
    return (await w.login()).account.username;
  };
  t.equal(await named('ada', '1'), 'ada');
  t.equal(await named('ADA', '2'), 'ADA-1');
  t.equal(await named('José García', '3'), 'Jose-Garcia');
  t.equal(await named('admin/../api', '4'), 'admin-..-api');
  t.equal(await named('API', '5'), 'API-1');
  t.equal(await named('.git', '6'), 'git');
  t.equal(await named('李', '7'), 'member');
  t.equal(await named('repo.git', '8'), 'repo');
  t.equal(await named('x'.repeat(300), '9'), 'x'.repeat(39));
  t.equal(await named('x'.repeat(300), '10'), `${'x'.repeat(37)}-1`);
  t.equal(await named('lights[bot]', '11'), 'lights-bot');
});

void t.test('candidates are legal names whatever the text is', (t) => {
  for (const username of ['', '.', '..', '-', '\0', 'a.git.git.', '.git.', '\u0301', '🦊'.repeat(50), 'con', '-.-.git'])
    for (const name of usernameCandidates({ subject: 's', username, emailVerified: false }))
      t.match(name, /^[A-Za-z0-9][A-Za-z0-9._-]{0,38}$/, JSON.stringify(username));
  t.equal(claimedUsername({ subject: 's', username: 'api', emailVerified: false }), undefined);
  t.equal(claimedUsername({ subject: 's', email: 'eve@example.org', emailVerified: false }), 'eve');
  t.end();
});

void t.test('an address that is missing or not valid is replaced by one that does not exist', async (t) => {
  const w = corp({ username: 'ada', subject: '1', email: 'not an address' });
  t.match((await w.login()).account, { email: /^[0-9a-f-]{36}@users\.invalid$/, emailVerified: false });
});

void t.test('approval, suspension and verification hold for external users', async (t) => {
  const w = corp({ username: 'ada', subject: '1' });
  w.settingValues['signup.require_approval'] = true;
  await t.rejects(w.login(), { code: 'approval_pending' });
  const made = await w.parts.accounts.byUsername('ada');
  t.equal(made?.approval, 'pending');
  await t.rejects(w.login(), { code: 'approval_pending' }, 'the account is found again, not created twice');
  w.settingValues['signup.require_approval'] = false;
  t.ok(await w.login());
  w.settingValues['auth.require_email_verification'] = true;
  await t.rejects(w.login(), { code: 'email_not_verified' });
  w.settingValues['auth.require_email_verification'] = false;
  await w.parts.unitOfWork.run(() => w.parts.accounts.update(made?.id ?? '', { status: 'suspended' }));
  await t.rejects(w.login(), { code: 'account_suspended' });
  t.equal((await w.parts.accounts.byId(made?.id ?? ''))?.status, 'suspended');
});

void t.test('a directory that decides about administrators does so at each sign-in, both ways', async (t) => {
  const w = corp({ ...ada, isAdmin: true });
  await w.account('root', { isAdmin: true });
  t.equal((await w.login()).account.isAdmin, true);
  w.state.user = { ...ada, isAdmin: false };
  t.equal((await w.login()).account.isAdmin, false);
  t.equal((await w.parts.accounts.byUsername('ada'))?.isAdmin, false);
  t.match(
    w.entries.filter(({ action }) => action === 'user.updated').map(({ details }) => details),
    [{ fields: ['is_admin'], is_admin: false, provider: 'corp' }],
  );
  w.state.user = { ...ada, isAdmin: true };
  t.equal((await w.login()).account.isAdmin, true);
  w.state.user = ada;
  t.equal((await w.login()).account.isAdmin, true, 'a directory that does not decide changes nothing');
});

void t.test('the first administrator and the last one stay administrators', async (t) => {
  const w = corp({ ...ada, isAdmin: false });
  await w.firstAdministrator({ username: 'root', password: 'password of root' });
  const root = await w.signIn('root');
  const linked = w.as(root.account, { id: (await w.reads(root.accessToken))?.credential.id ?? '' });
  await w.identities.linkByPassword(linked, { provider: 'corp', username: 'ada', password: 'right' });
  t.match((await w.login()).account, { username: 'root', isAdmin: true });
  t.equal((await w.parts.accounts.byUsername('root'))?.isAdmin, true);

  const last = corp({ ...ada, isAdmin: true });
  t.equal((await last.login()).account.isAdmin, true);
  last.state.user = { ...ada, isAdmin: false };
  t.equal((await last.login()).account.isAdmin, true);
});

void t.test('a right password of a directory takes no password hash; a wrong one takes one', async (t) => {
  const w = corp(ada);
  await w.login();
  t.equal(w.hasher.calls, 0);
  await t.rejects(w.sessions.signIn(w.call(), { username: 'ada', password: 'wrong' }), { name: 'Unauthorized' });
  t.equal(w.hasher.calls, 1);
});
