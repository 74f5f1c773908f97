// Tests of quotas per user: repositories, forks among them, and bytes in total.
import t from 'tap';
import { randomBytes } from 'node:crypto';
import { startTestForge } from '#test/support/forge';
import { thorough } from '#test/support/marks';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

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

  await t.test('of 20 concurrent creations those within the quota succeed and the others are refused', async (t) => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create(`r${index}`)));
    const made = answers.filter(({ status }) => status === 201);
    t.equal(made.length, 4);
    for (const { status, body } of answers.filter((answer) => !made.includes(answer))) {
      t.equal(status, 422);
      t.match(body, {
        error: 'You own 4 repositories, and one user may own 4',
        error_code: 'quota_exceeded',
        detail: /^Delete what is no longer needed/,
      });
    }
    t.equal(((await alice.client.get(repos)).body as unknown[]).length, 4);
  });

  await t.test('after deleting a repository one more can be created', async (t) => {
    const [{ name = '' } = {}] = (await alice.client.get(repos)).body as { name?: string }[];
    const deleted = await alice.client.delete(`${repos}/alice/${name}`, { body: { confirmation: `alice/${name}` } });
    t.equal(deleted.status, 204);
    t.equal((await create('parent')).status, 201);
    t.equal((await create('more')).status, 422);
  });

  await t.test('forks have their own limit, below that of all repositories', async (t) => {
    const statuses = (await Promise.all(['a', 'b', 'c', 'd', 'e'].map(fork))).map(({ status }) => status);
    t.strictSame(statuses.toSorted(), [201, 201, 422, 422, 422]);
    t.match((await fork('f')).body, {
      error: 'You own 2 forks, and one user may own 2',
      error_code: 'quota_exceeded',
    });
    t.equal((await create('own', bob.client)).status, 201);
  });

  await t.test('an administrator may exceed the quota, for themselves and for others', async (t) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) t.equal((await create(name, admin)).status, 201);
    t.equal((await create('given', admin, { owner: 'alice' })).status, 201);
  });
});

void thorough(t).test('the quota of bytes', async (t) => {
  const most = 4_000_000;
  const forge = await startTestForge(t, { configuration: { settings: { 'repositories.max_bytes_per_user': most } } });
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  for (const name of ['a', 'b', 'c'])
    await alice.client.post(repos, { body: { name, visibility: 'public', default_branch: 'main' } });
  const stock = await stockGit(t);
  /** The repository whose push was accepted. */
  let full = '';
  /** A work tree with a commit that cannot be compressed. */
  const large = async (name: string, bytes: number): Promise<StockGit> => {
    const work = await workTree(stock, name);
    await work.commit('Large', { large: randomBytes(bytes) });
    return work;
  };
  const push = async (work: StockGit, name: string, refspec = 'main') =>
    await work.ran('push', '--quiet', remote(forge.url, `alice/${name}`, alice), refspec);
  const refusal =
    /This brings \d+ bytes, for which the owner has no room; the repositories of one user may take 4000000/;

  await t.test(
    'of concurrent pushes those within the quota are accepted, and the others are refused with the reason',
    async (t) => {
      const works = [await large('one', 2_500_000), await large('two', 2_500_000)];
      const [one, two] = await Promise.all(works.map((work, index) => push(work, ['a', 'b'][index] ?? '')));
      t.strictSame([one?.code, two?.code].toSorted(), [0, 1]);
      full = one?.code === 0 ? 'a' : 'b';
      t.match(one?.code === 0 ? two?.stderr : one?.stderr, refusal);
    },
  );

  await t.test('a write through the API is refused like a push', async (t) => {
    const put = (path: string, bytes: number) =>
      alice.client.put(`${repos}/alice/c/contents/${path}`, {
        body: { message: 'Write', content: randomBytes(bytes).toString('base64') },
      });
    t.equal((await put('small', 1000)).status, 201);
    const { status, body } = await put('large', 2_000_000);
    t.equal(status, 422);
    t.match(body, { error: refusal, error_code: 'quota_exceeded' });
  });

  await t.test('a fork takes as many bytes as its parent', async (t) => {
    const fork = (as: string) => bob.client.post(`${repos}/alice/${full}/forks`, { body: { name: as } });
    t.equal((await fork('first')).status, 201);
    t.match(await fork('second'), { status: 422, body: { error: refusal, error_code: 'quota_exceeded' } });
  });

  await t.test(
    'when the quota is exhausted, branches and repositories can be deleted, which frees their bytes',
    async (t) => {
      const work = await large('three', 3_000_000);
      t.match(await push(work, 'c', 'main:large'), { code: 1, stderr: refusal });
      for (const name of ['a', 'b'])
        await alice.client.delete(`${repos}/alice/${name}`, { body: { confirmation: `alice/${name}` } });
      t.equal((await push(work, 'c', 'main:large')).code, 0);
      t.match(await push(await large('four', 2_000_000), 'c', 'main:more'), { code: 1, stderr: refusal });
      t.equal((await push(work, 'c', ':large')).code, 0);
    },
  );

  await t.test('an administrator is not limited', async (t) => {
    const work = await large('five', 4_500_000);
    const { ran } = work;
    t.equal((await ran('push', '--quiet', remote(forge.url, 'alice/c', forge.admin), 'main:admin')).code, 0);
  });
});
