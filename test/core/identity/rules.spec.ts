// Rules for usernames, passwords and profiles, and for who may sign in.
import t from 'tap';
import { checkProfile, signInBlock } from '#core/identity/model/account';
import type { Account, Profile } from '#core/identity/model/account';
import { checkPassword, ofNormalForm } from '#core/identity/model/password';
import { checkUsername, isUsername } from '#core/identity/model/username';

const account: Account = {
  id: 'id',
  username: 'ada',
  email: 'ada@example.org',
  displayName: '',
  bio: '',
  avatarUrl: '',
  isAdmin: false,
  status: 'active',
  approval: undefined,
  emailVerified: true,
  createdAt: new Date(0),
  lastActiveAt: undefined,
};

void t.test('account rules', async (t) => {
  await t.test(
    'usernames: 1 to 39 of letters, digits, "-", "_", ".", starting with a letter or digit, not ending in ".git" or "."',
    async (t) => {
      for (const name of ['a', '7', 'Ada', 'a-b_c.d', 'x'.repeat(39), 'git', 'a.gits'])
        t.equal(isUsername(name), true, name);
      for (const name of [
        '',
        '-',
        '-a',
        '.a',
        '_a',
        'a.',
        'a.git',
        'a.GIT',
        'x'.repeat(40),
        'a b',
        'a/b',
        'ä',
        'a\n',
        'a\0',
        '..',
        'a@b',
        'a%2f',
      ])
        t.equal(isUsername(name), false, JSON.stringify(name));
    },
  );

  await t.test('names used by the instance are reserved, in upper and lower case', async (t) => {
    for (const name of [
      'api',
      'API',
      'user',
      'users',
      'repos',
      'login',
      'oauth2',
      'saml',
      'ws',
      'assets',
      'healthz',
      'readyz',
      'metrics',
    ]) {
      t.throws(() => checkUsername(name), { name: 'ValidationFailed', message: 'The username is reserved' }, name);
    }
    t.doesNotThrow(() => checkUsername('admin'), 'the first administrator may be called admin');
  });

  await t.test('passwords have 8 to 256 characters, counted as code points', async (t) => {
    for (const password of ['12345678', 'x'.repeat(256), '😀'.repeat(256)])
      t.doesNotThrow(() => checkPassword(password));
    for (const password of ['', '1234567', '😀'.repeat(7), 'x'.repeat(257)])
      t.throws(() => checkPassword(password), {
        name: 'ValidationFailed',
        detail: '"password" has 8 to 256 characters',
      });
  });

  await t.test('a password is counted, hashed and compared in its normal form NFC', async (t) => {
    const [composed, decomposed] = ['Grüße, é!', 'Gru\u0308ße, e\u0301!'];
    t.doesNotThrow(() => checkPassword('u\u0308'.repeat(256)), '256 characters when composed');
    t.throws(() => checkPassword('u\u0308'.repeat(7)), { name: 'ValidationFailed' });
    const plain = {
      hash: async (password: string) => `hash of ${password}`,
      verify: async (password: string, hash?: string) => hash === `hash of ${password}`,
      outdated: (hash: string) => hash === 'old',
    };
    const hasher = ofNormalForm(plain);
    const hash = await hasher.hash(decomposed);
    t.equal(hash, await hasher.hash(composed));
    t.strictSame(await Promise.all([composed, decomposed, 'Grusse'].map((password) => hasher.verify(password, hash))), [
      true,
      true,
      false,
    ]);
    t.equal(await hasher.verify(decomposed, await plain.hash(decomposed)), true, 'a hash of an earlier version');
    t.equal(await hasher.verify(decomposed, undefined), false);
    t.strictSame([hasher.outdated('old'), hasher.outdated(hash)], [true, false]);
    const endless = 'a\u0301\u0323'.repeat(100_000);
    t.equal(await hasher.hash(endless), await plain.hash(endless), 'too long for a password: not normalized');
  });

  await t.test('an invalid profile is rejected with the name of the field', async (t) => {
    const bad: readonly [Profile, string][] = [
      [{ email: 'nobody' }, 'email'],
      [{ email: 'a b@c' }, 'email'],
      [{ email: 'a@b@c' }, 'email'],
      [{ email: '' }, 'email'],
      [{ email: 'a\0@b' }, 'email'],
      [{ email: `${'x'.repeat(260)}@b` }, 'email'],
      [{ displayName: 'two\nlines' }, 'display_name'],
      [{ displayName: 'x'.repeat(101) }, 'display_name'],
      [{ displayName: 'nul\0' }, 'display_name'],
      [{ bio: 'x'.repeat(1001) }, 'bio'],
      [{ bio: 'nul\0' }, 'bio'],
      [{ avatarUrl: 'javascript:alert(1)' }, 'avatar_url'],
      [{ avatarUrl: 'data:image/png;base64,AA' }, 'avatar_url'],
      [{ avatarUrl: 'https://user@host/' }, 'avatar_url'],
      [{ avatarUrl: 'https://host/"onload=' }, 'avatar_url'],
      [{ avatarUrl: '//host/a.png' }, 'avatar_url'],
      [{ avatarUrl: `https://host/${'x'.repeat(2048)}` }, 'avatar_url'],
    ];
    for (const [profile, field] of bad)
      t.throws(
        () => checkProfile(profile),
        { name: 'ValidationFailed', detail: new RegExp(`^"${field}" `) },
        JSON.stringify(profile).slice(0, 60),
      );
    for (const profile of [
      {},
      { email: 'ada@localhost' },
      { displayName: 'Ada 👩‍💻 Ł' },
      { bio: 'two\nlines' },
      { avatarUrl: '' },
      { avatarUrl: 'https://example.org:8080/a.png?s=1#x' },
    ])
      t.doesNotThrow(() => checkProfile(profile));
  });

  await t.test('who may sign in', async (t) => {
    const open = { requireEmailVerification: false, requireApproval: false };
    const strict = { requireEmailVerification: true, requireApproval: true };
    t.equal(signInBlock(account, strict), undefined);
    t.equal(signInBlock({ ...account, status: 'suspended' }, open), 'account_suspended');
    t.equal(signInBlock({ ...account, emailVerified: false }, open), undefined);
    t.equal(signInBlock({ ...account, emailVerified: false }, strict), 'email_not_verified');
    t.equal(signInBlock({ ...account, approval: 'pending' }, open), undefined);
    t.equal(signInBlock({ ...account, approval: 'pending' }, strict), 'approval_pending');
    t.equal(
      signInBlock({ ...account, approval: 'rejected' }, open),
      'approval_rejected',
      'a rejection does not depend on the setting',
    );
    t.equal(signInBlock({ ...account, approval: 'approved' }, strict), undefined);
  });
});
