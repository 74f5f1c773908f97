// What one user may own: at most so many repositories, and so many forks among them.
import t from 'tap';
import { startTestForge } from '#test/support/forge';

const repos = '/api/v1/repos';

void t.test('quotas of repositories and forks', async (t) => {
  const forge = await startTestForge(t, {
    configuration: { settings: { 'repositories.max_per_user': 4, 'repositories.max_forks_per_user': 2 } },
  });
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  const admin = await forge.administrator();
  const create = (name: string, client = alice.client, body: object = {}) =>
    client.post(repos, { body: { name, visibility: 'public', ...body } });
  const fork = (name: string) => bob.client.post(`${repos}/alice/parent/forks`, { body: { name } });

  await t.test('of 20 creations at once, those that fit are made and the others refused', async (t) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`r${index}`)));
    const made = answers.filter(({ status }) => status === 201);
    t.equal(made.length, 4);
    for (const { status, body } of answers.filter((answer) => !made.includes(answer))) {
      t.equal(status, 422);
      t.match(body, {
        error: 'You own 4 repositories, and one user may own 4',
        error_code: 'quota_exceeded',
        detail: /^Delete one you no longer need/,
      });
    }
    t.equal(((await alice.client.get(repos)).body as unknown[]).length, 4);
  });

  await t.test('deleting one makes room for one', async (t) => {
    const [{ name = '' } = {}] = (await alice.client.get(repos)).body as { name?: string }[];
    const deleted = await alice.client.delete(`${repos}/alice/${name}`, { body: { confirmation: `alice/${name}` } });
    t.equal(deleted.status, 204);
    t.equal((await create('parent')).status, 201);
    t.equal((await create('more')).status, 422);
  });

  await t.test('forks have a bound of their own, below that of all repositories', async (t) => {
    const statuses = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(fork))).map(({ status }) => status);
    t.strictSame(statuses.toSorted(), [201, 201, 422, 422, 422]);
    t.match((await fork('f')).body, {
      error: 'You own 2 forks, and one user may own 2',
      error_code: 'quota_exceeded',
    });
    t.equal((await create('own', bob.client)).status, 201);
  });

  await t.test('an administrator may go beyond, for themselves and for others', async (t) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) t.equal((await create(name, admin)).status, 201);
    t.equal((await create('given', admin, { owner: 'alice' })).status, 201);
  });
});
