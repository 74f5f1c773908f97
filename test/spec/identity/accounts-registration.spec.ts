// Tests of authRegister, and of the refusals of a login if the settings require more of an account.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import type { ForgeOptions } from '#test/support/forge';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const login = '/api/v1/auth/login';

/** Options of a forge with cheap password hashes and these settings. */
const settings = (values: Readonly<Record<string, unknown>>): ForgeOptions => ({
  configuration: { settings: values, plugins: { identity: { scrypt_log_n: 4 } } },
});

void t.test('registration', async (t) => {
  await t.test('POST /auth/register', async (t) => {
    const body = { username: 'Ada', email: 'ada@example.org', password: 'secret password', display_name: 'Ada L.' };

    await t.test('if signup.enabled is true', async (t) => {
      const forge = await startTestForge(t, settings({ 'signup.enabled': true }));
      const register = (over: object) => forge.anonymous.post('/api/v1/auth/register', { body: { ...body, ...over } });

      await t.test('201 with the user, who can sign in', async (t) => {
        const answer = await register({});
        t.match(answer, {
          status: 201,
          body: {
            id: uuid,
            username: 'Ada',
            email: 'ada@example.org',
            display_name: 'Ada L.',
            bio: '',
            avatar_url: '',
            is_admin: false,
            created_at: instant,
          },
        });
        t.equal(
          (await forge.anonymous.post(login, { body: { username: 'ada', password: body.password } })).status,
          200,
        );
      });

      await t.test('a duplicate username or e-mail is 409, ignoring case', async (t) => {
        t.match(await register({ username: 'aDA', email: 'other@example.org' }), {
          status: 409,
          body: { error_code: 'conflict', error: 'The username is taken' },
        });
        t.match(await register({ username: 'other', email: 'ADA@EXAMPLE.ORG' }), {
          status: 409,
          body: { error_code: 'conflict', error: 'The e-mail address is taken' },
        });
      });

      await t.test('a username has 1 to 39 letters, digits, "-", "_" and ".", and is not reserved', async (t) => {
        for (const username of [
          '',
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
          'api',
          'User',
          'repos',
          'login',
          'oauth2',
          'saml',
          'ws',
          'assets',
          'healthz',
          'readyz',
          'metrics',
          '.well-known',
          '-',
        ]) {
          const answer = await register({ username, email: 'next@example.org' });
          t.match(answer, { status: 400, body: { error_code: 'validation_failed', detail: /"username"/ } }, username);
        }
        t.equal((await register({ username: 'a', email: 'a@example.org' })).status, 201);
        t.equal((await register({ username: `7.-_${'x'.repeat(35)}`, email: 'b@example.org' })).status, 201);
      });

      await t.test('a password has 8 to 256 characters', async (t) => {
        for (const password of ['', '1234567', 'x'.repeat(257), 'x'.repeat(2000)])
          t.match(
            await register({ username: 'next', email: 'next@example.org', password }),
            { status: 400, body: { detail: /"password"/ } },
            String(password.length),
          );
        t.equal(
          (await register({ username: 'longest', email: 'longest@example.org', password: 'ü'.repeat(256) })).status,
          201,
        );
        t.equal(
          (await forge.anonymous.post(login, { body: { username: 'longest', password: 'ü'.repeat(256) } })).status,
          200,
        );
      });

      await t.test('other members are validated and named in the error', async (t) => {
        for (const [over, field] of [
          [{ email: 'none' }, 'email'],
          [{ email: ['a@b', 'c@d'] }, 'email'],
          [{ display_name: 'x'.repeat(101) }, 'display_name'],
          [{ display_name: 'two\nlines' }, 'display_name'],
        ] as const) {
          t.match(
            await register({ username: 'next', email: 'next@example.org', ...over }),
            { status: 400, body: { detail: new RegExp(`"${field}`) } },
            field,
          );
        }
        t.match(
          await register({ username: 'next', email: 'next@example.org', is_admin: true }),
          { status: 201, body: { is_admin: false } },
          'unknown members are ignored',
        );
      });

      await t.test('of ten concurrent registrations of one name exactly one succeeds', async (t) => {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, number) =>
            register({ username: 'wanted', email: `wanted${number}@example.org` }),
          ),
        );
        t.strictSame(
          answers.map(({ status }) => status).sort((a, b) => a - b),
          [201, ...Array<number>(9).fill(409)],
        );
      });
    });
  });

  await t.test('login if the settings require more of an account', async (t) => {
    const verified = await startTestForge(
      t,
      settings({ 'signup.enabled': true, 'auth.require_email_verification': true }),
    );
    const body = { username: 'ada', email: 'ada@example.org', password: 'secret password' };
    const credentials = { username: 'ada', password: 'secret password' };

    await t.test('403 email_not_verified', async (t) => {
      t.equal((await verified.anonymous.post('/api/v1/auth/register', { body })).status, 201);
      t.match(await verified.anonymous.post(login, { body: credentials }), {
        status: 403,
        body: { error_code: 'email_not_verified' },
      });
    });

    await t.test('403 approval_pending, and approval_state is shown', async (t) => {
      const approved = await startTestForge(t, settings({ 'signup.enabled': true, 'signup.require_approval': true }));
      const registered = await approved.anonymous.post('/api/v1/auth/register', { body });
      t.match(registered, { status: 201, body: { approval_state: 'pending' } });
      t.match(await approved.anonymous.post(login, { body: credentials }), {
        status: 403,
        body: { error_code: 'approval_pending' },
      });
      t.equal((await approved.anonymous.get('/api/v1/users/ada')).status, 404, 'the account is not visible to others');
    });
  });
});
