// Tests of stars and watching, and of the members of the record about them.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';

const repos = '/api/v1/repos';

void t.test('stars and watching', async (t) => {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('Alice'), await forge.createUser('bob')];
  for (const [name, visibility] of [
    ['open', 'public'],
    ['secret', 'private'],
  ])
    t.equal((await alice.client.post(repos, { body: { name, visibility } })).status, 201);
  const marks = {
    star: { path: (name: string) => `/api/v1/user/starred/alice/${name}`, count: 'stars_count', own: 'starred' },
    watch: { path: (name: string) => `${repos}/alice/${name}/subscription`, count: 'watchers_count', own: 'watching' },
  } as const;
  const record = async (client: typeof alice.client, name = 'open') =>
    (await client.get(`${repos}/alice/${name}`)).body as Readonly<Record<string, unknown>>;

  for (const [kind, { path, count, own }] of Object.entries(marks)) {
    await t.test(`${kind}: 204 each time, counted once, and shown to each caller for themselves`, async (t) => {
      t.match(await record(bob.client), { [count]: 0, [own]: false });
      for (let round = 0; round < 2; round++) t.equal((await bob.client.put(path('OPEN'))).status, 204);
      t.match(await record(bob.client), { [count]: 1, [own]: true });
      t.match(await record(alice.client), { [count]: 1, [own]: false });
      t.match(await record(forge.anonymous), { [count]: 1, [own]: false });
      t.equal((await alice.client.put(path('open'))).status, 204);
      t.match(await record(alice.client), { [count]: 2, [own]: true });
      for (let round = 0; round < 2; round++) t.equal((await bob.client.delete(path('open'))).status, 204);
      t.match(await record(bob.client), { [count]: 1, [own]: false });
    });

    await t.test(`${kind}: 401 anonymous, 403 without the scope, 404 for an unreadable repository`, async (t) => {
      const narrow = await forge.pat(bob.client, ['issue:read']);
      for (const method of ['PUT', 'DELETE']) {
        t.equal((await forge.anonymous.request(method, path('open'))).status, 401, method);
        t.equal((await narrow.request(method, path('open'))).status, 403, method);
        t.equal((await bob.client.request(method, path('secret'))).status, 404, method);
        t.equal((await bob.client.request(method, path('missing'))).status, 404, method);
        t.equal((await (await forge.pat(bob.client, ['repo:read'])).request(method, path('open'))).status, 204, method);
      }
    });

    await t.test(
      `${kind}: remains when access is lost, hidden from the user, and is deleted with the repository`,
      async (t) => {
        const collaborator = `${repos}/alice/secret/collaborators/bob`;
        await alice.client.put(collaborator, { body: { role: 'read' } });
        t.equal((await bob.client.put(path('secret'))).status, 204);
        await alice.client.delete(collaborator);
        t.equal((await bob.client.delete(path('secret'))).status, 404);
        await alice.client.put(collaborator, { body: { role: 'read' } });
        t.match(await record(bob.client, 'secret'), { [own]: true, [count]: 1 });
        await alice.client.delete(collaborator);
      },
    );
  }

  await t.test('GET /user/starred/{owner}/{repo}: 204 or 404', async (t) => {
    const path = marks.star.path('open');
    t.equal((await alice.client.get(path)).status, 204);
    t.equal((await bob.client.get(path)).status, 404);
    t.equal((await bob.client.get(marks.star.path('secret'))).status, 404);
    t.equal((await forge.anonymous.get(path)).status, 401);
    t.equal((await (await forge.pat(alice.client, ['issue:read'])).get(path)).status, 403);
  });

  await t.test('sixteen concurrent users count sixteen, and one user sixteen times counts one', async (t) => {
    const users = [];
    for (let index = 0; index < 4; index++) users.push(await forge.createUser());
    const answers = await Promise.all(
      users.flatMap((user) => Array.from({ length: 4 }, () => user.client.put(marks.star.path('open')))),
    );
    t.same([...new Set(answers.map(({ status }) => status))], [204]);
    t.match(await record(alice.client), { stars_count: 1 + users.length });
  });
});
