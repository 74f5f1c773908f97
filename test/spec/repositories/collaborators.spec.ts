// Tests of collaborators, effective permissions, custom roles and role templates: every status of each operation.
import t from 'tap';
import type { TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';

interface Collaborator {
  readonly user: object;
  readonly role: string;
  readonly permissions: readonly string[];
  readonly created_at: string;
}
interface Template {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** The permissions of each role. */
const read = ['repo.read', 'issue.read', 'ci.read', 'environment:read'];
const triage = [...read, 'issue.write', 'label.create'];
const write = [
  ...triage,
  'repo.write',
  'milestone.write',
  'merge.open',
  'merge.update',
  'merge.merge',
  'ci.write',
  'deployment:trigger',
];
const maintain = [...write, 'deployment:approve', 'branch.protect'];
const roleTable = { read, triage, write, maintain, admin: [...maintain, 'repo.admin'] };

const repos = '/api/v1/repos';
const absent = '00000000-0000-4000-8000-0000000000ff';

const create = async (user: Pick<TestUser, 'client'>, body: object): Promise<{ readonly id: string }> => {
  const answer = await user.client.post(repos, { body });
  if (answer.status !== 201) throw new Error(`creating answered ${answer.status}: ${answer.text}`);
  return answer.body as { readonly id: string };
};

void t.test('collaborators', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob, carol, dave] = [
    await forge.createUser('Alice'),
    await forge.createUser('bob', { displayName: 'Bob B.' }),
    await forge.createUser('carol'),
    await forge.createUser('dave'),
  ];
  await create(alice, { name: 'secret' });
  await create(alice, { name: 'open', visibility: 'public' });
  const of = (name: string, user = '') => `${repos}/alice/${name}/collaborators${user === '' ? '' : `/${user}`}`;
  const put = async (user: string, body: object, by: Pick<TestUser, 'client'> = alice, name = 'secret') =>
    (await by.client.put(of(name, user), { body })).status;
  const effective = async (user: string, name = 'secret') =>
    (await alice.client.get(`${of(name, user)}/permissions`)).body as {
      readonly role: string;
      readonly permissions: readonly string[];
      readonly source: string;
      readonly role_template_id?: string;
    };

  await t.test('PUT adds, DELETE removes, and access follows at once', async (t) => {
    t.equal((await bob.client.get(`${repos}/alice/secret`)).status, 404);
    t.equal(await put('BOB', { role: 'read' }), 204);
    t.equal((await bob.client.get(`${repos}/alice/secret`)).status, 200);
    const { status, body } = await bob.client.get(of('secret'));
    t.equal(status, 200);
    t.same(
      (body as Collaborator[]).map(({ created_at: _, ...item }) => item),
      [
        {
          user: { id: bob.id, username: 'bob', display_name: 'Bob B.', avatar_url: '' },
          role: 'read',
          permissions: roleTable.read,
        },
      ],
    );
    t.equal((await alice.client.delete(of('secret', 'bob'))).status, 204);
    t.equal((await bob.client.get(`${repos}/alice/secret`)).status, 404);
    t.same((await alice.client.get(of('secret'))).body, []);
  });

  await t.test('GET: 404 for a caller who may not read a private repository, the array for every reader', async (t) => {
    t.equal((await forge.anonymous.get(of('secret'))).status, 404);
    t.equal((await carol.client.get(of('secret'))).status, 404);
    t.same((await forge.anonymous.get(of('open'))).body, []);
    t.equal((await (await forge.pat(alice.client, ['issue:read'])).get(of('open'))).status, 403);
    t.equal((await forge.as('bad').get(of('open'))).status, 401);
  });

  await t.test(
    'PUT: 400 for an unknown role or permission, both forms, a malformed template id or invalid JSON',
    async (t) => {
      const cases: readonly (readonly [object, string])[] = [
        [{}, 'role'],
        [{ role: 'superuser' }, 'role'],
        [{ role: '' }, 'role'],
        [{ role: 7 }, 'role'],
        [{ role: 'deployer', permissions: ['repo.everything'] }, 'permissions'],
        [{ role: 'deployer', permissions: ['repo.own'] }, 'permissions'],
        [{ role: 'deployer', permissions: [] }, 'permissions'],
        [{ role: 'deployer', permissions: 'repo.read' }, 'permissions'],
        [{ role: 'write', permissions: ['repo.admin'] }, 'permissions'],
        [{ role: 'Admin', permissions: ['repo.read'] }, 'role'],
        [{ role: 'owner', permissions: ['repo.read'] }, 'role'],
        [{ role: ' x', permissions: ['repo.read'] }, 'role'],
        [{ role: '\u0430dmin', permissions: ['repo.read'] }, 'role'],
        [{ role_template_id: 'x' }, 'role_template_id'],
        [{ role_template_id: `{${absent}}` }, 'role_template_id'],
        [{ role: 'read', role_template_id: absent }, 'role_template_id'],
        [{ permissions: ['repo.read'], role_template_id: absent }, 'role_template_id'],
        [{ role: 'read', other: 1 }, 'other'],
      ];
      for (const [body, field] of cases) {
        const answer = await alice.client.put(of('secret', 'bob'), { body });
        t.equal(answer.status, 400, JSON.stringify(body));
        t.match((answer.body as { detail: string }).detail, new RegExp(`"${field}"`), JSON.stringify(body));
      }
      t.equal(
        (await alice.client.put(of('secret', 'bob'), { raw: '{', headers: { 'content-type': 'application/json' } }))
          .status,
        400,
      );
      t.equal(await put('alice', { role: 'read' }), 400, 'the owner');
      t.same((await alice.client.get(of('secret'))).body, [], 'nothing was granted');
    },
  );

  await t.test(
    'PUT: 401 anonymous, 403 without the permission, 404 for an unknown repository, user or template',
    async (t) => {
      t.equal((await forge.anonymous.put(of('secret', 'bob'), { body: { role: 'read' } })).status, 401);
      t.equal((await forge.anonymous.put(of('open', 'bob'), { body: { role: 'read' } })).status, 401);
      t.equal(await put('bob', { role: 'read' }, carol), 404);
      t.equal(await put('bob', { role: 'read' }, carol, 'open'), 403);
      t.equal(
        (await (await forge.pat(alice.client, ['repo:write'])).put(of('secret', 'bob'), { body: { role: 'read' } }))
          .status,
        403,
      );
      t.equal(
        (await (await forge.pat(alice.client, ['repo:admin'])).put(of('secret', 'bob'), { body: { role: 'read' } }))
          .status,
        204,
      );
      t.equal(await put('nobody', { role: 'read' }), 404);
      t.equal((await alice.client.put(of('secret', 'no%2Fbody'), { body: { role: 'read' } })).status, 404);
      t.equal(await put('bob', { role: 'read' }, alice, 'missing'), 404);
      t.equal(await put('bob', { role_template_id: absent }), 404);
      t.equal(
        await put('bob', { role: 'maintain' }, { client: await forge.administrator() }),
        204,
        'an instance administrator',
      );
    },
  );

  await t.test(
    'attack 42: collaborators grant only permissions they hold, and cannot change one who holds more',
    async (t) => {
      for (const role of ['read', 'triage', 'write', 'maintain']) {
        t.equal(await put('bob', { role }), 204);
        t.equal(await put('carol', { role: 'read' }, bob), 403, role);
        t.equal(await put('bob', { role: 'admin' }, bob), 403, role);
      }
      t.equal(await put('bob', { role: 'admin' }), 204);
      t.equal(await put('carol', { role: 'admin' }, bob), 204, 'an administrator of the repository adds another');
      t.equal(await put('dave', { role: 'gatekeeper', permissions: [...roleTable.read, 'repo.admin'] }), 204);
      t.equal(await put('dave', { role: 'admin' }, dave), 403, 'they cannot grant repo.write');
      t.equal(await put('carol', { role: 'read' }, dave), 403, 'nor remove it');
      t.equal(
        (
          await dave.client.post(`${repos}/alice/secret/role-templates`, {
            body: { name: 'trap', permissions: ['repo.write'] },
          })
        ).status,
        403,
      );
      t.equal(await put('dave', { role: 'read' }, dave), 204, 'they may give up their own permissions');
      t.equal((await bob.client.delete(of('secret', 'carol'))).status, 403, 'only the owner removes');
      t.equal((await bob.client.patch(`${repos}/alice/secret`, { body: { visibility: 'public' } })).status, 403);
    },
  );

  await t.test('DELETE: 204, 401, 403, 404', async (t) => {
    t.equal((await forge.anonymous.delete(of('secret', 'carol'))).status, 401);
    t.equal((await (await forge.createUser('eve')).client.delete(of('secret', 'carol'))).status, 404);
    t.equal((await (await forge.pat(alice.client, ['repo:write'])).delete(of('secret', 'carol'))).status, 403);
    t.equal((await alice.client.delete(of('secret', 'nobody'))).status, 404);
    t.equal((await alice.client.delete(of('secret', 'alice'))).status, 404);
    t.equal((await (await forge.administrator()).delete(of('secret', 'carol'))).status, 204);
    t.equal((await alice.client.delete(of('secret', 'carol'))).status, 404);
  });

  await t.test(
    'effective permissions: role, custom role and template with their source; 404 for a user who is not a collaborator',
    async (t) => {
      await put('bob', { role: 'write' });
      const { permissions, ...rest } = await effective('bob');
      t.same(rest, { role: 'write', source: 'role' });
      t.same(permissions, roleTable.write);
      for (const [role, held] of Object.entries(roleTable)) {
        t.equal(await put('bob', { role }), 204);
        t.same((await effective('bob')).permissions, held, role);
      }
      await put('bob', { role: 'write' });
      const listed = ((await alice.client.get(of('secret'))).body as Collaborator[]).find(
        ({ role }) => role === 'write',
      );
      t.same(listed?.permissions.toSorted(), permissions.toSorted());
      t.equal(
        await put('bob', { role: 'write', permissions: listed?.permissions }),
        204,
        'the permissions that were read can be written back',
      );
      t.equal(await put('bob', { role: 'pusher', permissions: ['repo.write', 'repo.read', 'repo.read'] }), 204);
      t.same(await effective('bob'), { role: 'pusher', permissions: ['repo.read', 'repo.write'], source: 'custom' });
      t.equal(await put('bob', { role: 'blind', permissions: ['repo.write'] }, alice, 'open'), 204);
      t.same(
        (await effective('bob', 'open')).permissions,
        [...roleTable.read, 'repo.write'],
        'with the permissions from the visibility',
      );
      for (const user of ['nobody', 'carol', 'alice'])
        t.equal((await alice.client.get(`${of('secret', user)}/permissions`)).status, 404, user);
      t.equal((await carol.client.get(`${of('secret', 'bob')}/permissions`)).status, 404);
      t.equal((await forge.anonymous.get(`${of('open', 'bob')}/permissions`)).status, 200);
      t.equal((await forge.as('bad').get(`${of('open', 'bob')}/permissions`)).status, 401);
      t.equal(
        (await (await forge.pat(alice.client, ['issue:read'])).get(`${of('open', 'bob')}/permissions`)).status,
        403,
      );
    },
  );

  await t.test('the permissions of a role take effect', async (t) => {
    const may = async (body: object) => {
      t.equal(await put('bob', body), 204);
      const answers = await Promise.all([
        bob.client.get(`${repos}/alice/secret`),
        bob.client.get(`${repos}/alice/secret/role-templates`),
        bob.client.patch(`${repos}/alice/secret`, { body: {} }),
      ]);
      return answers.map(({ status }) => status);
    };
    t.same(await may({ role: 'read' }), [200, 403, 403]);
    t.same(await may({ role: 'admin' }), [200, 200, 403]);
    t.same(await may({ role: 'keeper', permissions: ['repo.read', 'repo.admin'] }), [200, 200, 403]);
    t.same(await may({ role: 'blind', permissions: ['repo.write'] }), [404, 404, 404]);
  });
});

void t.test('role templates', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob, carol] = [
    await forge.createUser('Alice'),
    await forge.createUser('bob'),
    await forge.createUser('carol'),
  ];
  for (const name of ['one', 'two']) await create(alice, { name, visibility: 'public' });
  const of = (name: string, id = '') => `${repos}/alice/${name}/role-templates${id === '' ? '' : `/${id}`}`;
  const made = await alice.client.post(of('one'), {
    body: { name: 'Release crew', permissions: ['repo.write', 'repo.read', 'repo.read'] },
  });
  t.equal(made.status, 201);
  const template = made.body as Template;
  t.same(Object.keys(template).sort(), ['created_at', 'id', 'name', 'permissions', 'updated_at']);
  t.match(template, { name: 'Release crew', permissions: ['repo.write', 'repo.read'] });

  await t.test('GET lists the templates of one repository, by name', async (t) => {
    await alice.client.post(of('one'), { body: { name: 'a first', permissions: ['repo.read'] } });
    t.same(
      ((await alice.client.get(of('one'))).body as Template[]).map(({ name }) => name),
      ['a first', 'Release crew'],
    );
    t.same((await alice.client.get(of('two'))).body, []);
  });

  await t.test('400, 401, 403, 404 and 409', async (t) => {
    for (const body of [
      {},
      { name: 'x' },
      { permissions: ['repo.read'] },
      { name: 'x', permissions: [] },
      { name: 'x', permissions: ['nothing'] },
      { name: 'x', permissions: ['repo.own'] },
      { name: 'admin', permissions: ['repo.read'] },
      { name: 'Owner', permissions: ['repo.read'] },
      { name: 'x'.repeat(51), permissions: ['repo.read'] },
    ]) {
      t.equal((await alice.client.post(of('one'), { body })).status, 400, JSON.stringify(body));
    }
    for (const body of [{ name: 'write' }, { permissions: ['nothing'] }, { permissions: [] }, { other: 1 }])
      t.equal((await alice.client.patch(of('one', template.id), { body })).status, 400, JSON.stringify(body));
    t.equal((await alice.client.patch(of('one', 'x'), { body: {} })).status, 400);
    t.equal((await alice.client.delete(of('one', 'x'))).status, 400);
    const narrow = await forge.pat(alice.client, ['repo:write']);
    const requests = [
      ['GET', of('one')],
      ['POST', of('one')],
      ['PATCH', of('one', template.id)],
      ['DELETE', of('one', template.id)],
    ] as const;
    for (const [method, path] of requests) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: { name: 'x', permissions: ['repo.read'] } };
      t.equal((await forge.anonymous.request(method, path, body)).status, 401, method);
      t.equal((await carol.client.request(method, path, body)).status, 403, method);
      t.equal((await narrow.request(method, path, body)).status, 403, method);
      t.equal((await alice.client.request(method, path.replace('/one/', '/none/'), body)).status, 404, method);
    }
    t.equal(
      (await alice.client.patch(of('two', template.id), { body: { name: 'x' } })).status,
      404,
      'of another repository',
    );
    t.equal((await alice.client.delete(of('two', template.id))).status, 404);
    t.equal(
      (await alice.client.post(of('one'), { body: { name: 'RELEASE CREW', permissions: ['repo.read'] } })).status,
      409,
    );
    t.equal((await alice.client.patch(of('one', template.id), { body: { name: 'A first' } })).status, 409);
    t.equal(
      (await alice.client.post(of('two'), { body: { name: 'Release crew', permissions: ['repo.read'] } })).status,
      201,
      'another repository may have the name',
    );
  });

  await t.test('granting a template copies it: changing or deleting it does not affect its holders', async (t) => {
    const give = async (name: string) =>
      (
        await alice.client.put(`${repos}/alice/${name}/collaborators/bob`, {
          body: { role_template_id: template.id.toUpperCase() },
        })
      ).status;
    const effective = async () => (await alice.client.get(`${repos}/alice/one/collaborators/bob/permissions`)).body;
    t.equal(await give('two'), 403, 'a template of another repository');
    t.equal(await give('one'), 204);
    const given = {
      role: 'Release crew',
      permissions: [...roleTable.read, 'repo.write'],
      source: 'template',
      role_template_id: template.id,
    };
    t.same(await effective(), given);
    const changed = await alice.client.patch(of('one', template.id.toUpperCase()), {
      body: { name: 'Crew', permissions: ['repo.read'] },
    });
    t.match(changed, { status: 200, body: { id: template.id, name: 'Crew', permissions: ['repo.read'] } });
    t.same(
      (await alice.client.patch(of('one', template.id), { body: {} })).body,
      changed.body,
      'an empty change changes nothing',
    );
    t.same(await effective(), given);
    t.equal((await alice.client.delete(of('one', template.id))).status, 204);
    t.equal((await alice.client.delete(of('one', template.id))).status, 404);
    t.same(await effective(), given);
    t.equal(await give('one'), 404);
    t.equal((await bob.client.get(`${repos}/alice/one`)).status, 200);
  });
});
