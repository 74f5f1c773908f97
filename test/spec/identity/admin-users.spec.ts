// Tests of the administration of users under /admin/users: every status of each operation.
import t from 'tap';
import { startTestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

const users = '/api/v1/admin/users';
const nobody = '00000000-0000-4000-8000-0000000000ff';
const malformed = [
  '1',
  'admin',
  'x'.repeat(36),
  '00000000-0000-4000-8000-00000000000',
  "'%20or%201=1",
  '{00000000-0000-4000-8000-0000000000ff}',
];

interface Listed {
  readonly users: readonly { readonly id: string; readonly username: string }[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

void t.test('GET /admin/users', async (t) => {
  const forge = await sharedForge(t);
  const admin = await forge.administrator();
  await forge.createUser('zoe', { displayName: 'Zoë Ångström' });
  await forge.createUser('Bob', { email: 'robert_x@work.example' });
  const ada = await forge.createUser('ada', { displayName: '100% Countess' });
  const list = async (query = '') => (await admin.get(`${users}${query}`)).body as Listed;
  const names = async (query = '') => (await list(query)).users.map(({ username }) => username);

  await t.test('200 with { users, total, limit, offset } of user records', async (t) => {
    const body = await list();
    t.strictSame(Object.keys(body).sort(), ['limit', 'offset', 'total', 'users']);
    t.match(body, { total: 4, limit: 50, offset: 0 });
    t.strictSame(await names(), ['ada', 'admin', 'Bob', 'zoe']);
    t.strictSame(Object.keys(body.users[0] ?? {}).sort(), [
      'created_at',
      'display_name',
      'email',
      'id',
      'is_admin',
      'last_active_at',
      'status',
      'username',
    ]);
    t.match(body.users[0], {
      username: 'ada',
      email: 'ada@example.com',
      display_name: '100% Countess',
      is_admin: false,
      status: 'active',
    });
  });

  await t.test(
    'q matches a substring of username, email and display name ignoring case, without wildcards',
    async (t) => {
      for (const [q, found] of [
        ['ADA', ['ada']],
        ['ROBERT_X', ['Bob']],
        ['zoë å', ['zoe']],
        ['%', ['ada']],
        ['_', ['Bob']],
        ['\\', []],
        ["'", []],
        ['nothing', []],
        ['', ['ada', 'admin', 'Bob', 'zoe']],
      ] as const) {
        t.strictSame(await names(`?q=${encodeURIComponent(q)}`), found, q);
      }
      t.match(await list('?q=ad'), { total: 2 });
    },
  );

  await t.test('page and per_page, default 1 and 50; an out-of-range value becomes the maximum, 500', async (t) => {
    t.match(await list('?per_page=3'), { total: 4, limit: 3, offset: 0 });
    t.strictSame(await names('?per_page=3&page=2'), ['zoe']);
    t.match(await list('?per_page=3&page=2'), { total: 4, limit: 3, offset: 3 });
    for (const [query, limit] of [
      ['?per_page=500', 500],
      ['?per_page=501', 500],
      ['?per_page=0', 500],
      ['?per_page=-1', 500],
      ['?per_page=9007199254740993', 500],
      ['?per_page=x', 50],
      ['?page=0', 50],
    ] as const)
      t.match(await list(query), { limit, offset: 0 }, query);
    t.match(await list('?page=9007199254740991&per_page=500'), { users: [], total: 4 });
  });

  await t.test('explicit limit and offset have precedence', async (t) => {
    t.match(await list('?limit=2&offset=1&page=9&per_page=9'), { limit: 2, offset: 1 });
    t.strictSame(await names('?limit=2&offset=1'), ['admin', 'Bob']);
    t.match(await list('?offset=3'), { limit: 50, offset: 3 });
    t.match(await list('?limit=1&page=2'), { limit: 1, offset: 1 });
    for (const [query, limit, offset] of [
      ['?limit=501', 500, 0],
      ['?limit=0', 500, 0],
      ['?offset=-1', 50, 0],
      ['?offset=x', 50, 0],
      ['?limit=&per_page=3&offset=&page=2', 3, 3],
      ['?limit=x&per_page=3&offset=x&page=2', 3, 3],
      ['?limit=9007199254740993', 500, 0],
      ['?offset=9007199254740993', 50, Number.MAX_SAFE_INTEGER],
    ] as const)
      t.match(await list(query), { limit, offset }, query);
  });

  await t.test(
    '401 without a credential, 403 naming the admin scope for a user who is not an administrator',
    async (t) => {
      t.equal((await forge.anonymous.get(users)).status, 401);
      t.match(await ada.client.get(users), { status: 403, body: { error: 'admin scope required: admin:users' } });
    },
  );
});

void t.test('one account', async (t) => {
  const forge = await startTestForge(t);
  const admin = await forge.administrator();
  const me = ((await admin.get(`${users}?q=admin`)).body as Listed).users[0]?.id ?? '';

  await t.test('POST /admin/users', async (t) => {
    const body = { username: 'Ada', email: 'ada@example.org', password: 'secret password' };

    await t.test(
      '201 with the user record; display_name is optional, is_admin is false by default; last_active_at is null',
      async (t) => {
        const answer = await admin.post(users, { body });
        t.equal(answer.status, 201);
        t.match(answer.body, {
          username: 'Ada',
          email: 'ada@example.org',
          display_name: '',
          is_admin: false,
          status: 'active',
          last_active_at: null,
        });
        t.notMatch(answer.text, 'secret password');
        t.match((await forge.signIn('ada', 'secret password')).user, { username: 'Ada' });
        const second = await admin.post(users, {
          body: {
            username: 'root',
            email: 'root@example.org',
            password: 'secret password',
            display_name: 'Root',
            is_admin: true,
          },
        });
        t.match(second, { status: 201, body: { display_name: 'Root', is_admin: true } });
        t.equal((await (await forge.signIn('root', 'secret password')).get(users)).status, 200);
        t.equal((await admin.delete(`${users}/${(second.body as { id: string }).id}`)).status, 204);
      },
    );

    await t.test('400 for a missing required field or an invalid body', async (t) => {
      for (const field of ['username', 'email', 'password'])
        t.match(
          await admin.post(users, { body: { ...body, [field]: undefined } }),
          { status: 400, body: { error_code: 'validation_failed', detail: new RegExp(`"${field}"`) } },
          field,
        );
      for (const over of [
        { username: 'api' },
        { username: 'a.git' },
        { email: 'none' },
        { password: 'short' },
        { is_admin: 'true' },
        { is_admin: 1 },
        { display_name: null },
      ])
        t.equal((await admin.post(users, { body: { ...body, ...over } })).status, 400, JSON.stringify(over));
      t.match(await admin.post(users, { body: { ...body, status: 'active' } }), {
        status: 400,
        body: { error_code: 'unknown_field' },
      });
      t.equal((await admin.post(users, { raw: '{', headers: { 'content-type': 'application/json' } })).status, 400);
    });

    await t.test('409 for a taken username or e-mail', async (t) => {
      t.equal((await admin.post(users, { body: { ...body, email: 'next@example.org' } })).status, 409);
      t.equal((await admin.post(users, { body: { ...body, username: 'next' } })).status, 409);
    });

    await t.test('403 for a user who is not an administrator', async (t) => {
      t.equal((await (await forge.createUser('plain')).client.post(users, { body })).status, 403);
    });
  });

  await t.test('GET /admin/users/{uid}', async (t) => {
    const ada = await forge.createUser('fetched');

    await t.test('200 with the record of the list', async (t) => {
      const answer = await admin.get(`${users}/${ada.id}`);
      t.equal(answer.status, 200);
      t.strictSame(answer.body, ((await admin.get(`${users}?q=fetched`)).body as Listed).users[0]);
      t.equal((await admin.get(`${users}/${ada.id.toUpperCase()}`)).status, 200);
    });

    await t.test('400 if the uid is not a uuid, 404 for an unknown one', async (t) => {
      for (const uid of malformed) t.equal((await admin.get(`${users}/${uid}`)).status, 400, uid);
      t.match(await admin.get(`${users}/${nobody}`), { status: 404, body: { error_code: 'not_found' } });
    });
  });

  await t.test('PATCH /admin/users/{uid}', async (t) => {
    const ada = await forge.createUser('patched');

    await t.test('200: email, display_name and is_admin, all optional', async (t) => {
      t.match(await admin.patch(`${users}/${ada.id}`, { body: { email: 'new@example.org', display_name: 'Ada L.' } }), {
        status: 200,
        body: { email: 'new@example.org', display_name: 'Ada L.', is_admin: false },
      });
      t.equal((await admin.patch(`${users}/${ada.id}`, { body: {} })).status, 200);
      t.match(await admin.patch(`${users}/${ada.id}`, { body: { is_admin: true } }), { body: { is_admin: true } });
      t.equal((await ada.client.get(users)).status, 200, 'takes effect at once');
      t.match(await admin.patch(`${users}/${ada.id}`, { body: { is_admin: false } }), {
        body: { is_admin: false, display_name: 'Ada L.' },
      });
      t.equal((await ada.client.get(users)).status, 403, 'takes effect at once');
    });

    await t.test('last_active_at is null until the account is first changed', async (t) => {
      const { id } = (
        await admin.post(users, {
          body: { username: 'fresh', email: 'fresh@example.org', password: 'secret password' },
        })
      ).body as { id: string };
      t.match((await admin.get(`${users}/${id}`)).body, { last_active_at: null });
      t.match((await admin.patch(`${users}/${id}`, { body: { display_name: 'Fresh' } })).body, {
        last_active_at: /^\d{4}-/,
      });
    });

    await t.test('is_active, or status active or suspended; a suspension ends every credential at once', async (t) => {
      for (const [off, on] of [
        [{ is_active: false }, { is_active: true }],
        [{ status: 'suspended' }, { status: 'active' }],
      ]) {
        const session = await forge.signIn('patched', ada.password);
        const pat = await forge.pat(session, []);
        t.match(await admin.patch(`${users}/${ada.id}`, { body: off }), { status: 200, body: { status: 'suspended' } });
        for (const credential of [session, pat]) t.equal((await credential.get('/api/v1/auth/me')).status, 401);
        t.equal(
          (await forge.anonymous.post('/api/v1/auth/login', { body: { username: 'patched', password: ada.password } }))
            .status,
          403,
        );
        t.match(await admin.patch(`${users}/${ada.id}`, { body: on }), { status: 200, body: { status: 'active' } });
        for (const credential of [session, pat]) t.equal((await credential.get('/api/v1/auth/me')).status, 401);
      }
    });

    await t.test('400 for an invalid body or a malformed uid, 404 for an unknown one', async (t) => {
      for (const body of [
        { email: 'none' },
        { status: 'deleted' },
        { is_admin: 'yes' },
        { is_active: true, status: 'active' },
        { display_name: 'x'.repeat(101) },
      ])
        t.match(
          await admin.patch(`${users}/${ada.id}`, { body }),
          { status: 400, body: { error_code: 'validation_failed' } },
          JSON.stringify(body).slice(0, 40),
        );
      for (const body of [{ username: 'other' }, { password: 'secret password' }])
        t.match(await admin.patch(`${users}/${ada.id}`, { body }), {
          status: 400,
          body: { error_code: 'unknown_field' },
        });
      for (const uid of malformed) t.equal((await admin.patch(`${users}/${uid}`, { body: {} })).status, 400, uid);
      t.equal((await admin.patch(`${users}/${nobody}`, { body: {} })).status, 404);
    });

    await t.test('409 for a taken address, and for the last super-admin', async (t) => {
      await forge.createUser('eve');
      t.equal((await admin.patch(`${users}/${ada.id}`, { body: { email: 'EVE@example.com' } })).status, 409);
      for (const body of [{ is_admin: false }, { is_active: false }, { status: 'suspended' }])
        t.match(
          await admin.patch(`${users}/${me}`, { body }),
          { status: 409, body: { error_code: 'conflict' } },
          JSON.stringify(body),
        );
    });
  });

  await t.test('DELETE /admin/users/{uid}', async (t) => {
    await t.test('204; the account, its sessions and its tokens are deleted, and its name is free', async (t) => {
      const ada = await forge.createUser('deleted');
      const pat = await forge.pat(ada.client, []);
      t.equal((await admin.delete(`${users}/${ada.id}`)).status, 204);
      for (const credential of [ada.client, pat]) t.equal((await credential.get('/api/v1/auth/me')).status, 401);
      t.equal((await admin.get(`${users}/${ada.id}`)).status, 404);
      t.equal((await forge.anonymous.get('/api/v1/users/deleted')).status, 404);
      t.ok(await forge.createUser('deleted'));
    });

    await t.test(
      '409 with error and reason while other records refer to the user, whose tokens are revoked first',
      async (t) => {
        const bob = await forge.createUser('bob');
        t.equal((await bob.client.post('/api/v1/repos', { body: { name: 'kept' } })).status, 201);
        const answer = await admin.delete(`${users}/${bob.id}`);
        t.match(answer, { status: 409, body: { error: 'The user cannot be deleted', reason: /\S/ } });
        t.equal((await bob.client.get('/api/v1/auth/me')).status, 401);
        t.equal((await admin.get(`${users}/${bob.id}`)).status, 200);
      },
    );

    await t.test("409 for one's own account, 400 for a malformed uid, 404 for an unknown one", async (t) => {
      t.match(await admin.delete(`${users}/${me}`), { status: 409, body: { reason: /own account/ } });
      t.equal((await admin.get('/api/v1/auth/me')).status, 200, 'nothing was revoked');
      for (const uid of malformed) t.equal((await admin.delete(`${users}/${uid}`)).status, 400, uid);
      t.equal((await admin.delete(`${users}/${nobody}`)).status, 404);
    });
  });

  await t.test('POST /admin/users/{uid}/password and /revoke-tokens', async (t) => {
    const ada = await forge.createUser('renewed');

    await t.test('password: 204; the old password and every session end', async (t) => {
      t.equal(
        (await admin.post(`${users}/${ada.id}/password`, { body: { password: 'another password' } })).status,
        204,
      );
      t.equal((await ada.client.get('/api/v1/auth/me')).status, 401);
      t.equal(
        (await forge.anonymous.post('/api/v1/auth/login', { body: { username: 'renewed', password: ada.password } }))
          .status,
        401,
      );
      t.ok(await forge.signIn('renewed', 'another password'));
    });

    await t.test('password: 400 if out of bounds or malformed, 404 for an unknown id', async (t) => {
      for (const body of [{}, { password: 'short' }, { password: 'x'.repeat(257) }, { password: ['x'] }])
        t.equal(
          (await admin.post(`${users}/${ada.id}/password`, { body })).status,
          400,
          JSON.stringify(body).slice(0, 40),
        );
      for (const uid of malformed)
        t.equal(
          (await admin.post(`${users}/${uid}/password`, { body: { password: 'another password' } })).status,
          400,
          uid,
        );
      t.equal(
        (await admin.post(`${users}/${nobody}/password`, { body: { password: 'another password' } })).status,
        404,
      );
    });

    await t.test(
      'revoke-tokens: 204; session tokens, refresh cookies and personal access tokens end at once, the password remains',
      async (t) => {
        const signed = await forge.anonymous.post('/api/v1/auth/login', {
          body: { username: 'renewed', password: 'another password' },
        });
        const session = forge.as((signed.body as { access_token: string }).access_token);
        const pat = await forge.pat(session, ['repo:read']);
        const cookie = signed.headers
          .getSetCookie()
          .map((line) => line.split(';')[0])
          .join('; ');
        t.equal((await admin.post(`${users}/${ada.id}/revoke-tokens`)).status, 204);
        for (const dead of [session, pat]) t.equal((await dead.get('/api/v1/auth/me')).status, 401);
        t.equal((await forge.anonymous.post('/api/v1/auth/refresh', { headers: { cookie } })).status, 401);
        t.ok(await forge.signIn('renewed', 'another password'));
      },
    );

    await t.test(
      'revoke-tokens: 400 malformed, 404 unknown id, 403 for a user who is not an administrator',
      async (t) => {
        for (const uid of malformed) t.equal((await admin.post(`${users}/${uid}/revoke-tokens`)).status, 400, uid);
        t.equal((await admin.post(`${users}/${nobody}/revoke-tokens`)).status, 404);
        t.equal(
          (await (await forge.signIn('renewed', 'another password')).post(`${users}/${ada.id}/revoke-tokens`)).status,
          403,
        );
      },
    );
  });

  // Runs last, because it is not known which of the two administrators remains.
  await t.test('of two administrators who delete each other concurrently one remains', async (t) => {
    const other = await forge.createUser('other', { isAdmin: true });
    const answers = await Promise.all([admin.delete(`${users}/${other.id}`), other.client.delete(`${users}/${me}`)]);
    t.equal(
      answers.filter(({ status }) => status === 204).length,
      1,
      JSON.stringify(answers.map(({ status }) => status)),
    );
  });
});
