// Tests of accounts: sessions, cookies, profiles and passwords.
import t from 'tap';
import type { Answer } from '#test/support/clients/client';
import { startTestForge } from '#test/support/forge';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const jwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** The body of a successful sign-in. */
const session = (answer: Answer): { access_token: string; user: Record<string, unknown> } =>
  answer.body as { access_token: string; user: Record<string, unknown> };

/** Set-Cookie lines by name, with their attributes. */
function cookiesOf(answer: Answer): Record<string, { value: string; attributes: string[] }> {
  return Object.fromEntries(
    answer.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split('; ');
      return [
        pair.slice(0, pair.indexOf('=')),
        { value: pair.slice(pair.indexOf('=') + 1), attributes: attributes.sort() },
      ];
    }),
  );
}
const cookieHeader = (answer: Answer): { cookie: string } => ({
  cookie: Object.entries(cookiesOf(answer))
    .map(([name, { value }]) => `${name}=${value}`)
    .join('; '),
});
const refreshOnly = (answer: Answer): { cookie: string } => ({
  cookie: `svc_refresh_token=${cookiesOf(answer)['svc_refresh_token']?.value ?? ''}`,
});
const login = '/api/v1/auth/login';

void t.test('accounts', async (t) => {
  const forge = await startTestForge(t, { environment: { HEXFORGE_WEB_URL: 'https://web.example' } });
  /** Another instance, with an https base URL and registration disabled. */
  const secure = await startTestForge(t, { environment: { HEXFORGE_BASE_URL: 'https://forge.example' } });
  const { anonymous, admin } = forge;

  await t.test('POST /auth/login', async (t) => {
    await t.test('200 with a JWT and the user object, and both cookies', async (t) => {
      const answer = await anonymous.post(login, { body: admin });
      t.equal(answer.status, 200);
      t.strictSame(Object.keys(answer.body as object).sort(), ['access_token', 'user']);
      const { access_token: token, user } = session(answer);
      t.match(token, jwt);
      t.strictSame(
        Object.keys(user).sort(),
        ['avatar_url', 'bio', 'created_at', 'display_name', 'email', 'id', 'is_admin', 'username'],
        'approval_state is omitted if the account has none',
      );
      t.match(user, { id: uuid, username: 'admin', is_admin: true, created_at: instant });
      const cookies = cookiesOf(answer);
      t.strictSame(Object.keys(cookies).sort(), ['svc_access_token', 'svc_refresh_token']);
      t.equal(cookies['svc_access_token']?.value, token);
      t.strictSame(cookies['svc_access_token']?.attributes, ['HttpOnly', 'Max-Age=900', 'Path=/', 'SameSite=Lax']);
      t.strictSame(cookies['svc_refresh_token']?.attributes, [
        'HttpOnly',
        'Max-Age=2592000',
        'Path=/api/v1/auth',
        'SameSite=Strict',
      ]);
      t.equal(answer.headers.get('cache-control'), 'no-store');
    });

    await t.test('400 for a missing or malformed member, 400 unknown_field for an unknown one', async (t) => {
      for (const body of [
        {},
        { username: 'admin' },
        { password: 'x' },
        { username: ['admin'], password: 'x' },
        { username: 'admin', password: { $ne: '' } },
        { username: '', password: 'x' },
        [],
      ]) {
        t.match(
          await anonymous.post(login, { body }),
          { status: 400, body: { error_code: 'validation_failed' } },
          JSON.stringify(body),
        );
      }
      t.match(await anonymous.post(login, { body: { ...admin, remember: true } }), {
        status: 400,
        body: { error_code: 'unknown_field' },
      });
    });

    await t.test('401 for wrong credentials, with the same answer for a wrong name and a wrong password', async (t) => {
      const answers = [];
      for (const body of [
        { username: 'admin', password: 'wrong password' },
        { username: 'nobody', password: admin.password },
        { username: 'no name!', password: 'x' },
        { username: 'admin', password: 'x'.repeat(300) },
      ])
        answers.push(await anonymous.post(login, { body }));
      for (const answer of answers) {
        t.equal(answer.status, 401);
        t.strictSame(answer.body, { error: 'The username or password is wrong', error_code: 'unauthorized' });
        t.strictSame(answer.headers.getSetCookie(), []);
      }
    });

    await t.test('a password is the same however its letters are composed', async (t) => {
      const password = 'Gru\u0308ße und e\u0301';
      const { username, client } = await forge.createUser('composer', { password });
      const typed = { username, password: password.normalize('NFC') };
      t.equal((await anonymous.post(login, { body: typed })).status, 200);
      const change = { current_password: typed.password, new_password: 'A\u030angstro\u0308m' };
      t.equal((await client.post('/api/v1/user/password', { body: change })).status, 204);
      t.equal((await anonymous.post(login, { body: { username, password: 'Ångström' } })).status, 200);
    });

    await t.test('a username is compared ignoring case', async (t) => {
      t.equal((await anonymous.post(login, { body: { username: 'ADMIN', password: admin.password } })).status, 200);
    });

    await t.test('403 account_suspended, only after the right password', async (t) => {
      const { id, username, password } = await forge.createUser('suspended');
      const by = await forge.administrator();
      await by.patch(`/api/v1/admin/users/${id}`, { body: { status: 'suspended' } });
      t.match(await anonymous.post(login, { body: { username, password } }), {
        status: 403,
        body: { error_code: 'account_suspended' },
      });
      t.equal((await anonymous.post(login, { body: { username, password: 'wrong password' } })).status, 401);
    });

    await t.test(
      '429 with Retry-After after 10 failures for one username and address; a success clears the count',
      async (t) => {
        const { username, password } = await forge.createUser('guessed');
        const tries = async (count: number) => {
          for (let time = 0; time < count; time += 1)
            t.equal((await anonymous.post(login, { body: { username, password: 'wrong password' } })).status, 401);
        };
        await tries(9);
        t.equal((await anonymous.post(login, { body: { username, password } })).status, 200);
        await tries(10);
        const refused = await anonymous.post(login, { body: { username: 'GUESSED', password } });
        t.match(refused, { status: 429, body: { error_code: 'rate_limited' } });
        const after = Number(refused.headers.get('retry-after'));
        t.ok(after > 0 && after <= 900, `Retry-After ${after}`);
        t.equal((await anonymous.post(login, { body: admin })).status, 200, 'another name is not throttled');
      },
    );

    await t.test('25 concurrent sign-ins with the right password all succeed', async (t) => {
      const { username, password } = await forge.createUser('hurried');
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => anonymous.post(login, { body: { username, password } })),
      );
      t.strictSame(
        answers.map(({ status }) => status),
        Array<number>(25).fill(200),
      );
    });

    await t.test('of 25 concurrent sign-ins with a wrong password only 10 are checked', async (t) => {
      const { username } = await forge.createUser('rushed');
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => anonymous.post(login, { body: { username, password: 'wrong password' } })),
      );
      t.equal(answers.filter(({ status }) => status === 401).length, 10);
      t.equal(answers.filter(({ status }) => status === 429).length, 15);
    });
  });

  await t.test('cookies are Secure if the base URL is https', async (t) => {
    const cookies = cookiesOf(await secure.anonymous.post(login, { body: admin }));
    for (const name of ['svc_access_token', 'svc_refresh_token'])
      t.ok(cookies[name]?.attributes.includes('Secure'), name);
  });

  await t.test('POST /auth/refresh', async (t) => {
    const refresh = (headers: Record<string, string>) => anonymous.post('/api/v1/auth/refresh', { headers });
    const me = async (answer: Answer) => (await forge.as(session(answer).access_token).get('/api/v1/auth/me')).status;

    await t.test('rotates the refresh cookie; 200 with the login body', async (t) => {
      const first = await anonymous.post(login, { body: admin });
      const second = await refresh(cookieHeader(first));
      t.equal(second.status, 200);
      t.strictSame(session(second).user, session(first).user);
      t.match(session(second).access_token, jwt);
      t.not(cookiesOf(second)['svc_refresh_token']?.value, cookiesOf(first)['svc_refresh_token']?.value);
      t.equal(await me(second), 200);
      t.equal((await refresh(refreshOnly(second))).status, 200, 'the refresh cookie alone is enough');
    });

    await t.test('401 for a missing or unknown refresh token', async (t) => {
      for (const headers of [
        {},
        { cookie: 'svc_refresh_token=' },
        { cookie: 'svc_refresh_token=unknown' },
        { cookie: `svc_refresh_token=${'x'.repeat(43)}` },
      ])
        t.match(await refresh(headers), { status: 401, body: { error_code: 'unauthorized' } });
      const { access_token: token } = session(await anonymous.post(login, { body: admin }));
      t.equal(
        (await refresh({ cookie: `svc_refresh_token=${token}` })).status,
        401,
        'an access token is not a refresh token',
      );
    });

    await t.test('a rotated refresh token used again revokes its family', async (t) => {
      const first = await anonymous.post(login, { body: admin });
      const other = await anonymous.post(login, { body: admin });
      const second = await refresh(refreshOnly(first));
      t.equal((await refresh(refreshOnly(first))).status, 401);
      t.equal((await refresh(refreshOnly(second))).status, 401);
      t.equal(await me(second), 401);
      t.equal(await me(other), 200, 'another session continues');
    });

    await t.test('of two concurrent refreshes with one cookie exactly one succeeds', async (t) => {
      const first = await anonymous.post(login, { body: admin });
      const answers = await Promise.all([refresh(refreshOnly(first)), refresh(refreshOnly(first))]);
      t.strictSame(
        answers.map(({ status }) => status).sort((a, b) => a - b),
        [200, 401],
      );
      t.equal(await me(first), 401, 'the family is revoked');
    });

    await t.test('a refresh token is not a bearer token', async (t) => {
      const { value = '' } = cookiesOf(await anonymous.post(login, { body: admin }))['svc_refresh_token'] ?? {};
      t.equal((await forge.as(value).get('/api/v1/auth/me')).status, 401);
    });
  });

  await t.test('POST /auth/logout', async (t) => {
    const logout = (headers: Record<string, string>) => anonymous.post('/api/v1/auth/logout', { headers });
    const dead = async (answer: Answer): Promise<number[]> => [
      (await forge.as(session(answer).access_token).get('/api/v1/auth/me')).status,
      (await anonymous.post('/api/v1/auth/refresh', { headers: refreshOnly(answer) })).status,
    ];

    await t.test(
      '204, revokes the session family and clears both cookies: with a bearer token, both cookies, or the refresh cookie',
      async (t) => {
        const ways: readonly [string, (answer: Answer) => Record<string, string>][] = [
          ['bearer', (answer) => ({ authorization: `Bearer ${session(answer).access_token}` })],
          ['cookies', cookieHeader],
          ['refresh cookie', refreshOnly],
        ];
        for (const [name, headers] of ways) {
          const signed = await anonymous.post(login, { body: admin });
          const answer = await logout(headers(signed));
          t.equal(answer.status, 204, name);
          t.equal(answer.text, '', name);
          t.match(
            cookiesOf(answer),
            {
              svc_access_token: { value: '', attributes: ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax'] },
              svc_refresh_token: {
                value: '',
                attributes: ['HttpOnly', 'Max-Age=0', 'Path=/api/v1/auth', 'SameSite=Strict'],
              },
            },
            name,
          );
          t.strictSame(await dead(signed), [401, 401], name);
        }
      },
    );

    await t.test('cookies of an ended session are cleared too; without a credential it is 401', async (t) => {
      t.equal((await logout({ cookie: 'svc_access_token=old; svc_refresh_token=old' })).status, 204);
      t.equal((await logout({})).status, 401);
    });

    await t.test('a personal access token cannot sign out', async (t) => {
      const token = await forge.pat(await forge.administrator(), []);
      t.equal((await token.post('/api/v1/auth/logout')).status, 403);
    });
  });

  await t.test('a state-changing request authenticated by cookie alone', async (t) => {
    const signed = () => forge.anonymous.post(login, { body: forge.admin });
    const refresh = async (headers: Record<string, string>) =>
      forge.anonymous.post('/api/v1/auth/refresh', { headers: { ...refreshOnly(await signed()), ...headers } });

    await t.test('is refused with csrf_rejected from another origin or site', async (t) => {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `${forge.url}.evil.example` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        t.match(
          await refresh(headers),
          { status: 403, body: { error_code: 'csrf_rejected' } },
          JSON.stringify(headers),
        );
        t.match(
          await forge.anonymous.post('/api/v1/auth/logout', {
            headers: { ...cookieHeader(await signed()), ...headers },
          }),
          { status: 403, body: { error_code: 'csrf_rejected' } },
          JSON.stringify(headers),
        );
      }
    });

    await t.test(
      'is accepted from the base URL, from the web URL, from the same site, and with neither header',
      async (t) => {
        for (const headers of [
          { origin: new URL(forge.url).origin },
          { origin: 'https://web.example' },
          { 'sec-fetch-site': 'same-origin' },
          { 'sec-fetch-site': 'none' },
          {},
        ])
          t.equal((await refresh(headers)).status, 200, JSON.stringify(headers));
      },
    );

    await t.test(
      'a cookie authenticates no other operation, and an Authorization header, valid or not, overrides it',
      async (t) => {
        const headers = cookieHeader(await signed());
        t.equal((await forge.anonymous.get('/api/v1/auth/me', { headers })).status, 401);
        t.equal((await forge.as('bad').post('/api/v1/auth/logout', { headers })).status, 401);
        t.equal((await forge.anonymous.post('/api/v1/auth/refresh', { headers })).status, 200, 'the session continues');
      },
    );
  });

  await t.test('session tokens', async (t) => {
    const user = await forge.createUser('holder');
    const status = async (token: string, path = '/api/v1/auth/me') => (await forge.as(token).get(path)).status;

    await t.test(
      'a token that is malformed, altered or of another instance gives 401, also on public data',
      async (t) => {
        const { token } = await forge.signIn(user.username, user.password);
        const [header = '', payload = '', signature = ''] = token.split('.');
        const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'svc-session+jwt' })).toString('base64url');
        const altered = Buffer.from(
          JSON.stringify({
            ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object),
            sub: user.id,
            exp: 4102444800,
          }),
        ).toString('base64url');
        for (const bad of [
          `${header}.${payload}.`,
          `${none}.${payload}.`,
          `${none}.${payload}.${signature}`,
          `${header}.${altered}.${signature}`,
          `${token}A`,
          'eyJ',
          (await secure.signIn(admin.username, admin.password)).token,
        ]) {
          t.equal(await status(bad), 401, bad.slice(0, 30));
          t.equal(await status(bad, '/api/v1/users/admin'), 401, bad.slice(0, 30));
        }
      },
    );

    await t.test('a session token is valid for 15 minutes and has no scopes', async (t) => {
      const { token } = await forge.signIn(user.username, user.password);
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        number
      >;
      t.strictSame(Object.keys(claims).sort(), ['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
      t.equal((claims['exp'] ?? 0) - (claims['iat'] ?? 0), 900);
    });

    await t.test('a token in the query is ignored', async (t) => {
      const { token } = await forge.signIn(user.username, user.password);
      t.equal((await forge.anonymous.get(`/api/v1/auth/me?access_token=${token}`)).status, 401);
    });
  });

  await t.test('GET /auth/me and GET /user', async (t) => {
    const user = await forge.createUser('myself', { displayName: 'Ada' });

    await t.test('the authenticated user, as in the login answer, for any valid credential', async (t) => {
      const signed = session(
        await forge.anonymous.post(login, { body: { username: user.username, password: user.password } }),
      );
      const token = await forge.pat(user.client, []);
      const basic = { authorization: `Basic ${Buffer.from(`anyone:${token.token}`).toString('base64')}` };
      for (const path of ['/api/v1/auth/me', '/api/v1/user']) {
        for (const answer of [
          await user.client.get(path),
          await token.get(path),
          await forge.anonymous.get(path, { headers: basic }),
        ]) {
          t.equal(answer.status, 200, path);
          t.strictSame(answer.body, signed.user, path);
        }
        t.equal((await forge.anonymous.get(path)).status, 401, path);
      }
    });

    await t.test('a password is not accepted as Basic credential', async (t) => {
      const basic = { authorization: `Basic ${Buffer.from(`myself:${user.password}`).toString('base64')}` };
      t.equal((await forge.anonymous.get('/api/v1/auth/me', { headers: basic })).status, 401);
    });
  });

  await t.test('POST /auth/register: 403 signup_disabled unless the setting signup.enabled is true', async (t) => {
    t.match(
      await secure.anonymous.post('/api/v1/auth/register', {
        body: { username: 'ada', email: 'ada@example.org', password: 'secret password' },
      }),
      { status: 403, body: { error_code: 'signup_disabled' } },
    );
  });

  await t.test('PATCH /user', async (t) => {
    const user = await forge.createUser('changer');

    await t.test('changes display_name, bio, avatar_url and email, together or one by one', async (t) => {
      const change = {
        display_name: 'Ada L.',
        bio: 'First\nprogrammer ☕',
        avatar_url: 'https://example.org/ada.png',
        email: 'countess@example.org',
      };
      const answer = await user.client.patch('/api/v1/user', { body: change });
      t.match(answer, { status: 200, body: { ...change, username: 'changer' } });
      t.strictSame((await user.client.get('/api/v1/user')).body, answer.body);
      t.match(await user.client.patch('/api/v1/user', { body: { avatar_url: '' } }), {
        status: 200,
        body: { ...change, avatar_url: '' },
      });
      t.equal((await user.client.patch('/api/v1/user', { body: {} })).status, 200);
    });

    await t.test('400 for values that are out of bounds or unknown members', async (t) => {
      for (const body of [
        { email: 'none' },
        { email: null },
        { display_name: 'x'.repeat(101) },
        { bio: 'x'.repeat(1001) },
        { bio: 'nul\0' },
        { avatar_url: 'javascript:alert(1)' },
        { avatar_url: '//host/a' },
      ]) {
        t.match(
          await user.client.patch('/api/v1/user', { body }),
          { status: 400, body: { error_code: 'validation_failed' } },
          JSON.stringify(body).slice(0, 50),
        );
      }
      for (const body of [{ username: 'other' }, { is_admin: true }, { id: 'x' }])
        t.match(await user.client.patch('/api/v1/user', { body }), {
          status: 400,
          body: { error_code: 'unknown_field' },
        });
    });

    await t.test('409 for the address of another user', async (t) => {
      await forge.createUser('eve');
      t.match(await user.client.patch('/api/v1/user', { body: { email: 'EVE@example.com' } }), {
        status: 409,
        body: { error_code: 'conflict' },
      });
    });

    await t.test('changing the profile needs a session', async (t) => {
      const token = await forge.pat(user.client, ['admin:users']);
      t.match(await token.patch('/api/v1/user', { body: { bio: 'x' } }), {
        status: 403,
        body: { error_code: 'forbidden' },
      });
    });
  });

  await t.test('POST /user/password', async (t) => {
    const change = '/api/v1/user/password';

    await t.test('204; the old password and the other sessions end, this session and the tokens remain', async (t) => {
      const user = await forge.createUser('mover');
      const other = await forge.signIn('mover', user.password);
      const token = await forge.pat(user.client, []);
      t.equal(
        (
          await user.client.post(change, {
            body: { current_password: user.password, new_password: 'another password' },
          })
        ).status,
        204,
      );
      t.equal((await other.get('/api/v1/user')).status, 401);
      t.equal((await user.client.get('/api/v1/user')).status, 200);
      t.equal((await token.get('/api/v1/user')).status, 200);
      t.equal(
        (await forge.anonymous.post(login, { body: { username: 'mover', password: user.password } })).status,
        401,
      );
      t.equal(
        (await forge.anonymous.post(login, { body: { username: 'mover', password: 'another password' } })).status,
        200,
      );
    });

    await t.test(
      'of concurrent changes from one password exactly one succeeds, and the others are wrong_password',
      async (t) => {
        const user = await forge.createUser('racing');
        const answers = await Promise.all(
          ['first one', 'second one', 'third one'].map((password) =>
            user.client.post(change, { body: { current_password: user.password, new_password: password } }),
          ),
        );
        t.same(answers.map(({ status }) => status).sort(), [204, 403, 403]);
        t.same(
          answers.filter(({ status }) => status === 403).map(({ body }) => (body as { error_code: string }).error_code),
          ['wrong_password', 'wrong_password'],
        );
        t.equal((await user.client.get('/api/v1/user')).status, 200, 'the session of the request continues');
      },
    );

    await t.test('403 wrong_password, and 429 after 10 of them', async (t) => {
      const user = await forge.createUser('forgetful');
      for (let time = 0; time < 10; time += 1)
        t.match(
          await user.client.post(change, {
            body: { current_password: 'wrong password', new_password: 'another password' },
          }),
          { status: 403, body: { error_code: 'wrong_password' } },
        );
      const refused = await user.client.post(change, {
        body: { current_password: user.password, new_password: 'another password' },
      });
      t.equal(refused.status, 429);
      t.ok(Number(refused.headers.get('retry-after')) > 0);
    });

    await t.test('400 for a new password out of bounds; 403 for a token', async (t) => {
      const user = await forge.createUser('bob');
      t.match(await user.client.post(change, { body: { current_password: user.password, new_password: 'short' } }), {
        status: 400,
        body: { detail: /"new_password"/ },
      });
      t.equal(
        (
          await (
            await forge.pat(user.client, [])
          ).post(change, { body: { current_password: user.password, new_password: 'another password' } })
        ).status,
        403,
      );
    });
  });

  await t.test('GET /users/{username}', async (t) => {
    await forge.createUser('Grace', { displayName: 'Grace H.' });

    await t.test('the public profile without the address, to any caller, by name ignoring case', async (t) => {
      const answer = await forge.anonymous.get('/api/v1/users/gRACE');
      t.equal(answer.status, 200);
      t.strictSame(Object.keys(answer.body as object).sort(), [
        'avatar_url',
        'bio',
        'created_at',
        'display_name',
        'id',
        'username',
      ]);
      t.match(answer.body, { id: uuid, username: 'Grace', display_name: 'Grace H.' });
    });

    await t.test('404 for an unknown name and for text that cannot be a name', async (t) => {
      for (const name of ['nobody', 'a%20b', "x'%20or%20'1'='1", '%E2%82%AC', 'ada@example.com', 'x'.repeat(200)])
        t.match(
          await forge.anonymous.get(`/api/v1/users/${name}`),
          { status: 404, body: { error_code: 'not_found' } },
          name,
        );
    });
  });
});
