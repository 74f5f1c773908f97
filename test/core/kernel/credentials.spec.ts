// The authenticator with token readers and password sign-in.
import t from 'tap';
import { authenticator, type CredentialReader, type PasswordSignIn } from '#core/kernel/access/credentials';
import { Forbidden } from '#core/kernel/errors';

const context = { ip: '203.0.113.1', now: new Date(1_000) };
const passwords = async (): Promise<void> => undefined;

/** A reader that knows one token and records the tokens that it reads. */
function reader(
  prefix: string,
  kind: 'session' | 'pat' | 'oauth',
  good: string,
): CredentialReader & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    prefix,
    asked,
    async read(token) {
      asked.push(token);
      return token === good
        ? {
            kind: 'user',
            id: `by-${kind}`,
            username: 'ann',
            isAdmin: false,
            credential: { kind, id: 'c1', scopes: kind === 'session' ? 'all' : ['a'] },
          }
        : undefined;
    },
  };
}

function accounts(good: string): PasswordSignIn & { readonly asked: object[] } {
  const asked: object[] = [];
  return {
    asked,
    async prove(username, password, from) {
      asked.push({ username, password, ...from });
      if (username === 'suspended') throw new Forbidden('The account is suspended', { code: 'account_suspended' });
      return password === good ? { kind: 'user', id: 'by-password', username, isAdmin: false } : undefined;
    },
  };
}

function rig() {
  const jwt = reader('', 'session', 'eyJ');
  const pat = reader('svc_', 'pat', 'svc_good');
  const oauth = reader('svc_oat_', 'oauth', 'svc_oat_good');
  const local = accounts('secret');
  return {
    jwt,
    pat,
    oauth,
    local,
    door: authenticator({ readers: () => [pat, jwt, oauth], passwordSignIn: () => local }),
  };
}

void t.test('only the reader with the longest matching prefix is called', async (t) => {
  const { door, jwt, pat, oauth } = rig();
  t.equal((await door.authenticate({ via: 'bearer', token: 'svc_good' }, context)).id, 'by-pat');
  t.equal((await door.authenticate({ via: 'bearer', token: 'svc_oat_good' }, context)).id, 'by-oauth');
  t.equal((await door.authenticate({ via: 'bearer', token: 'eyJ' }, context)).id, 'by-session');
  await t.rejects(door.authenticate({ via: 'bearer', token: 'svc_oat_bad' }, context), {
    message: 'The credential is not valid',
  });
  t.strictSame(
    [jwt.asked, pat.asked, oauth.asked],
    [['eyJ'], ['svc_good'], ['svc_oat_good', 'svc_oat_bad']],
    'no reader gets a token of another kind',
  );
});

void t.test('the credential has the way in which it was presented', async (t) => {
  const { door } = rig();
  const inBasic = { via: 'basic', username: 'anything', password: 'svc_oat_good' } as const;
  for (const via of ['bearer', 'cookie'] as const)
    t.equal((await door.authenticate({ via, token: 'eyJ' }, context)).credential.via, via);
  t.strictSame(
    (await door.authenticate(inBasic, { ...context, passwords })).credential,
    { kind: 'oauth', id: 'c1', scopes: ['a'], via: 'basic' },
    'a token in Basic keeps its scopes',
  );
  await t.rejects(
    door.authenticate(inBasic, context),
    { message: 'The credential is not valid' },
    'outside of git routes',
  );
  await t.rejects(door.authenticate({ via: 'cookie', token: 'svc_oat_good' }, context), {
    message: 'The credential is not valid',
  });
});

void t.test('passwords are checked only on routes that allow them', async (t) => {
  const { door, local } = rig();
  const presented = { via: 'basic', username: 'ann', password: 'secret' } as const;
  await t.rejects(door.authenticate(presented, context), { message: 'The credential is not valid' });
  t.strictSame(local.asked, []);
  t.strictSame(await door.authenticate(presented, { ...context, passwords }), {
    kind: 'user',
    id: 'by-password',
    username: 'ann',
    isAdmin: false,
    credential: { kind: 'password', id: 'by-password', scopes: 'all', via: 'basic' },
  });
  t.strictSame(local.asked, [{ username: 'ann', password: 'secret', ...context }]);
  await t.rejects(
    door.authenticate({ via: 'bearer', token: 'secret' }, { ...context, passwords }),
    { message: 'The credential is not valid' },
    'a bearer token is never checked as a password',
  );
});

void t.test('the rate limit may reject before the first password is checked', async (t) => {
  const { door, local, pat } = rig();
  const refusing = {
    ...context,
    passwords: async () => {
      throw new Error('spent');
    },
  };
  await t.rejects(door.authenticate({ via: 'basic', username: 'ann', password: 'secret' }, refusing), {
    message: 'spent',
  });
  t.strictSame(local.asked, []);
  const { id } = await door.authenticate({ via: 'basic', username: 'ann', password: 'svc_good' }, refusing);
  t.equal(id, 'by-pat', 'a good token is not charged as a password');
  t.equal(pat.asked.length, 1);
});

void t.test('an account that may not sign in gets the reason', async (t) => {
  const { door } = rig();
  await t.rejects(
    door.authenticate({ via: 'basic', username: 'suspended', password: 'other' }, { ...context, passwords }),
    { message: 'The account is suspended', code: 'account_suspended' },
  );
});

void t.test('a recheck reads the token again, and rejects if it has no user or another user', async (t) => {
  let reads: 'by-pat' | 'another' | undefined = 'by-pat';
  const door = authenticator({
    readers: () => [
      {
        ...reader('svc_', 'pat', 'svc_good'),
        read: async (_, now) =>
          reads === undefined || now.getTime() > 5_000
            ? undefined
            : {
                kind: 'user',
                id: reads,
                username: 'ann',
                isAdmin: false,
                credential: { kind: 'pat', id: 'c1', scopes: [] },
              },
      },
    ],
    passwordSignIn: () => undefined,
  });
  const presented = { via: 'bearer', token: 'svc_good' } as const;
  const user = await door.authenticate(presented, context);
  t.strictSame(await door.renew(user, presented, context), user);
  const bad = { name: 'Unauthorized' };
  await t.rejects(door.renew(user, presented, { ...context, now: new Date(6_000) }), bad, 'expired in the meantime');
  reads = 'another';
  await t.rejects(door.renew(user, presented, context), bad);
  reads = undefined;
  await t.rejects(door.renew(user, presented, context), bad);
});

void t.test("a recheck hashes the password again only if the account's proof has changed", async (t) => {
  let [password, unchanged, checked] = ['secret', true, 0];
  const ann = { kind: 'user', id: 'u1', username: 'ann', isAdmin: true } as const;
  const local: PasswordSignIn = {
    async prove(_, given) {
      checked += 1;
      if (given !== password) return undefined;
      return { ...ann, unchanged: async () => (unchanged ? { ...ann, isAdmin: false } : undefined) };
    },
  };
  const door = authenticator({ readers: () => [], passwordSignIn: () => local });
  const presented = { via: 'basic', username: 'ann', password } as const;
  const asked = { ...context, passwords };
  const user = await door.authenticate(presented, asked);
  t.notOk('unchanged' in user);
  t.strictSame(await door.renew(user, presented, asked), { ...user, isAdmin: false }, 'the current account');
  t.equal(checked, 1);
  unchanged = false;
  t.match(await door.renew(user, presented, asked), { id: 'u1' }, 'a new hash of the same password');
  t.equal(checked, 2);
  password = 'another';
  await t.rejects(door.renew(user, presented, asked), { name: 'Unauthorized' });
});

void t.test('without providers every credential is rejected', async (t) => {
  const door = authenticator({ readers: () => [], passwordSignIn: () => undefined });
  await t.rejects(door.authenticate({ via: 'basic', username: '', password: '' }, { ...context, passwords }), {
    message: 'The credential is not valid',
  });
});
