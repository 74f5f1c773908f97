// Tests of branch protection over REST, and of the pushes of the stock client that it refuses.
import t from 'tap';
import type { TestForge, TestUser } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree, type StockGit } from '#test/support/servers/stock-git';

const repos = '/api/v1/repos';
const code = `${repos}/alice/code`;
const path = (branch: string): string => `${code}/branches/${encodeURIComponent(branch)}/protection`;
const defaults = {
  allow_force_push: false,
  allow_deletion: false,
  push_roles: ['write', 'maintain', 'admin'],
  required_approvals: 0,
  dismiss_stale_approvals: false,
  required_pipeline: { on_open: false, on_merge: false },
};

interface Stage {
  readonly forge: TestForge;
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly work: StockGit;
  readonly url: (user: TestUser) => string;
  give(role: string): Promise<void>;
}

/** Alice's public `code` with `main` of three commits and `side` at the second; bob gets a role with `give`. */
async function stage(t: { teardown(work: () => void | Promise<void>): unknown }): Promise<Stage> {
  const forge = await sharedForge(t);
  const [alice, bob] = [await forge.createUser('alice'), await forge.createUser('bob')];
  await alice.client.post(repos, { body: { name: 'code', visibility: 'public' } });
  const work = await workTree(await stockGit(t), 'work');
  for (const number of ['One', 'Two', 'Three']) await work.commit(number, { 'README.md': number });
  const url = (user: TestUser): string => remote(forge.url, 'alice/code', user);
  await work.git('push', '--quiet', url(alice), 'main', 'main~1:refs/heads/side');
  return {
    forge,
    alice,
    bob,
    work,
    url,
    async give(role) {
      const { status, text } = await alice.client.put(`${code}/collaborators/bob`, { body: { role } });
      if (status !== 204) throw new Error(`giving "${role}" answered ${status}: ${text}`);
    },
  };
}

void t.test('GET, PUT, DELETE branches/{branch}/protection', async (t) => {
  const { forge, alice, bob, give } = await stage(t);

  await t.test(
    'PUT sets or replaces, with defaults for missing members; GET answers the same; DELETE removes',
    async (t) => {
      t.match(
        await alice.client.get(path('main')),
        { status: 404, body: { error_code: 'not_found' } },
        'not protected',
      );
      const bare = await alice.client.put(path('main'), { body: {} });
      t.same([bare.status, bare.body], [200, defaults]);
      const full = {
        allow_force_push: true,
        allow_deletion: true,
        push_roles: ['maintain', 'release-team'],
        required_approvals: 2,
        dismiss_stale_approvals: true,
        required_pipeline: { on_open: true, on_merge: true },
      };
      t.same(
        (await alice.client.put(path('main'), { body: { ...full, push_roles: [...full.push_roles, 'maintain'] } }))
          .body,
        full,
      );
      t.same((await alice.client.get(path('main'))).body, full);
      t.same(
        (await alice.client.put(path('main'), { body: { push_roles: [], required_pipeline: { on_merge: true } } }))
          .body,
        { ...defaults, push_roles: [], required_pipeline: { on_open: false, on_merge: true } },
      );
      const gone = await alice.client.delete(path('main'));
      t.same([gone.status, gone.text], [204, '']);
      t.equal((await alice.client.get(path('main'))).status, 404);
      t.equal((await alice.client.delete(path('main'))).status, 404);
    },
  );

  await t.test('a branch need not exist to be protected; its name may contain slashes', async (t) => {
    t.equal((await alice.client.put(path('release/ü'), { body: {} })).status, 200);
    t.same((await alice.client.get(path('release/ü'))).body, defaults);
    t.equal((await alice.client.get(path('release'))).status, 404);
    const made = await alice.client.post(`${code}/branches`, { body: { name: 'release/ü' } });
    t.equal(made.status, 201);
    const { items } = (await forge.anonymous.get(`${code}/branches`)).body as {
      items: { name: string; is_protected: boolean }[];
    };
    t.same(
      items.map(({ name, is_protected }) => [name, is_protected]),
      [
        ['main', false],
        ['release/ü', true],
        ['side', false],
      ],
    );
    t.equal((await alice.client.delete(`${code}/branches/${encodeURIComponent('release/ü')}`)).status, 403);
  });

  await t.test('400 for an invalid name or body', async (t) => {
    for (const name of ['-x', 'a..b', 'a b', 'HEAD'])
      t.equal((await alice.client.put(path(name), { body: {} })).status, 400, name);
    const bodies = [
      { allow_force_push: 'true' },
      { allow_deletion: 1 },
      { push_roles: 'admin' },
      { push_roles: [7] },
      { push_roles: [''] },
      { push_roles: ['a\u0000b'] },
      { required_approvals: -1 },
      { required_approvals: 1.5 },
      { required_approvals: '1' },
      { required_pipeline: true },
      { required_pipeline: { on_push: true } },
      { protected: true },
    ];
    for (const body of bodies)
      t.equal((await alice.client.put(path('main'), { body })).status, 400, JSON.stringify(body));
    t.equal((await alice.client.get(path('main'))).status, 404, 'nothing was set');
  });

  await t.test('needs branch.protect, which maintain and admin have, and the scope repo:admin', async (t) => {
    const ways = [
      (user: Pick<TestUser, 'client'>) => user.client.get(path('main')),
      (user: Pick<TestUser, 'client'>) => user.client.put(path('main'), { body: {} }),
      (user: Pick<TestUser, 'client'>) => user.client.delete(path('main')),
    ];
    for (const ask of ways) t.equal((await ask({ client: forge.anonymous })).status, 401);
    for (const ask of ways) t.equal((await ask(bob)).status, 403, 'a reader');
    await give('write');
    for (const ask of ways) t.match(await ask(bob), { status: 403, body: { detail: /branch\.protect/ } }, 'a writer');
    for (const ask of ways)
      t.match(await ask({ client: await forge.pat(alice.client, ['repo:write']) }), {
        status: 403,
        body: { error_code: 'insufficient_scope' },
      });
    await give('maintain');
    t.same(
      [
        (await bob.client.put(path('main'), { body: {} })).status,
        (await bob.client.get(path('main'))).status,
        (await bob.client.delete(path('main'))).status,
      ],
      [200, 200, 204],
    );
    const token = await forge.pat(bob.client, ['repo:admin']);
    t.same(
      [
        (await token.put(path('main'), { body: {} })).status,
        (await token.get(path('main'))).status,
        (await token.delete(path('main'))).status,
      ],
      [200, 200, 204],
    );
    await alice.client.post(repos, { body: { name: 'secret' } });
    t.equal((await bob.client.get(`${repos}/alice/secret/branches/main/protection`)).status, 404);
  });
});

void t.test('pushes to a protected branch', async (t) => {
  const { forge, alice, bob, work, url, give } = await stage(t);
  const protect = async (branch: string, body: object): Promise<void> => {
    t.equal((await alice.client.put(path(branch), { body })).status, 200);
  };
  const at = async (ref: string): Promise<string | undefined> =>
    (await work.git('ls-remote', url(alice), ref)).slice(0, 40) || undefined;
  const oid = async (name: string): Promise<string> => (await work.git('rev-parse', name)).trim();
  const refused = async (
    t: {
      match(found: unknown, wanted: unknown, what: string): unknown;
      not(found: unknown, other: unknown, what: string): unknown;
    },
    user: TestUser,
    what: RegExp,
    ...args: string[]
  ): Promise<void> => {
    const { code: status, stderr } = await work.ran('push', url(user), ...args);
    t.not(status, 0, args.join(' '));
    t.match(stderr, what, args.join(' '));
  };
  await give('write');

  await t.test(
    'a forced push is refused for every user, also the owner, naming the rule; other refs of the push are accepted',
    async (t) => {
      await protect('main', {});
      const before = await at('refs/heads/main');
      for (const [user, landing] of [
        [alice, 'by-alice'],
        [bob, 'by-bob'],
        [await forge.createUser('root', { isAdmin: true }), 'by-root'],
      ] as const) {
        await refused(t, user, /allow_force_push/, '--force', 'main~1:refs/heads/main', `main:refs/heads/${landing}`);
        t.equal(await at('refs/heads/main'), before);
        t.equal(await at(`refs/heads/${landing}`), before, 'the other ref was accepted');
      }
      await refused(
        t,
        bob,
        /allow_force_push/,
        '--force',
        '--atomic',
        'main~1:refs/heads/main',
        'main:refs/heads/whole',
      );
      t.equal(await at('refs/heads/whole'), undefined, 'with --atomic all refs or none');
      await work.commit('Four', { 'README.md': 'Four' });
      await work.git('push', '--quiet', url(bob), 'main');
      t.equal(await at('refs/heads/main'), await oid('main'), 'a fast-forward with new objects is accepted');
      await work.git('checkout', '--quiet', '--orphan', 'unrelated');
      await work.commit('Other', { other: 'x' });
      await refused(t, bob, /allow_force_push/, '--force', 'unrelated:refs/heads/main');
      await work.git('checkout', '--quiet', 'main');
      await protect('main', { allow_force_push: true });
      await work.git('push', '--quiet', '--force', url(bob), 'main~1:refs/heads/main');
      t.equal(await at('refs/heads/main'), await oid('main~1'), 'it is accepted when allowed');
    },
  );

  await t.test('a deletion is refused unless it is allowed', async (t) => {
    await protect('side', {});
    await refused(t, alice, /allow_deletion/, '--delete', 'side');
    t.equal(await at('refs/heads/side'), await oid('main~2'));
    await protect('side', { allow_deletion: true });
    t.equal((await bob.client.delete(`${code}/branches/side`)).status, 403, 'never over REST');
    await work.git('push', '--quiet', url(bob), '--delete', 'side');
    t.equal(await at('refs/heads/side'), undefined);
    await protect('main', { allow_deletion: true });
    await refused(t, alice, /default branch cannot be deleted/, '--delete', 'main');
  });

  await t.test('push_roles lists who may push; the owner and administrators count as admin', async (t) => {
    await protect('main', { push_roles: ['admin'] });
    await refused(t, bob, /push_roles/, 'main', 'main:refs/heads/bobs');
    t.equal(await at('refs/heads/bobs'), await oid('main'), 'the other ref was accepted');
    await work.git('push', '--quiet', url(alice), 'main');
    await work.commit('Five', { 'README.md': 'Five' });
    await protect('main', { push_roles: ['write'] });
    await refused(t, alice, /push_roles/, 'main');
    await work.git('push', '--quiet', url(bob), 'main');
    t.equal(await at('refs/heads/main'), await oid('main'));
    await give('maintain');
    await refused(t, bob, /only the roles write may push/, 'main~1:refs/heads/main', '--force');
    await protect('main', { push_roles: [] });
    await work.commit('Six', { 'README.md': 'Six' });
    await refused(t, alice, /nobody may push/, 'main');
    await protect('main', { push_roles: ['releaser'] });
    t.equal(
      (
        await alice.client.put(`${code}/collaborators/bob`, {
          body: { role: 'releaser', permissions: ['repo.read', 'repo.write'] },
        })
      ).status,
      204,
    );
    await work.git('push', '--quiet', url(bob), 'main');
    t.equal(await at('refs/heads/main'), await oid('main'), 'a custom role by its name');
  });

  await t.test(
    'a protected branch that does not exist yet can be created only by users who may push to it, by push or over REST',
    async (t) => {
      await protect('release/1', { push_roles: ['admin'] });
      await refused(t, bob, /push_roles/, 'main:refs/heads/release/1');
      t.match(await bob.client.post(`${code}/branches`, { body: { name: 'release/1' } }), {
        status: 403,
        body: { error_code: 'forbidden', detail: /push_roles/ },
      });
      t.equal((await alice.client.post(`${code}/branches`, { body: { name: 'release/1' } })).status, 201);
      t.equal(await at('refs/heads/release/1'), await oid('main'));
    },
  );

  await t.test(
    'a tag with the name of a protected branch is not the branch, and no branch can be named like its ref',
    async (t) => {
      await protect('main', { push_roles: [] });
      await work.git('push', '--quiet', url(bob), 'main~1:refs/tags/main', 'main~1:refs/heads/Main');
      await refused(t, bob, /this branch name is not allowed here/, 'main~1:refs/heads/refs/heads/main');
      await work.git('push', '--quiet', '--force', url(bob), 'main~2:refs/tags/main');
      t.equal((await bob.client.delete(`${code}/tags/main`)).status, 204);
      t.equal((await bob.client.post(`${code}/tags`, { body: { name: 'main' } })).status, 201);
      t.equal(await at('refs/heads/main'), await oid('main'), 'untouched');
      t.equal(
        (await bob.client.delete(`${code}/branches/${encodeURIComponent('refs/heads/main')}`)).status,
        404,
        'no branch has this name',
      );
      t.equal(await at('refs/heads/main'), await oid('main'), 'still untouched');
      await refused(t, bob, /push_roles/, '--force', 'main~1:refs/heads/main');
    },
  );

  await t.test('a branch of another repository is not protected', async (t) => {
    await bob.client.post(repos, { body: { name: 'code' } });
    const own = remote(forge.url, 'bob/code', bob);
    await work.git('push', '--quiet', own, 'main');
    await work.git('push', '--quiet', '--force', own, 'main~1:refs/heads/main');
    t.equal((await bob.client.get(`${repos}/bob/code/branches/main/protection`)).status, 404);
  });
});
