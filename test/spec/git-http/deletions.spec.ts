// Tests that deleting branches and tags by push spends the same budget as deleting them over REST.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';

void t.test(
  'thirty branches and tags can be deleted by push in five minutes, and then no more over REST',
  async (t) => {
    const forge = await sharedForge(t);
    const alice = await forge.createUser('alice');
    const path = '/api/v1/repos/alice/code';
    await alice.client.post('/api/v1/repos', { body: { name: 'code' } });
    const work = await workTree(await stockGit(t), 'work');
    const tip = await work.commit('One', { file: 'one' });
    const url = remote(forge.url, 'alice/code', alice);
    const refs = Array.from({ length: 32 }, (_, index) => `refs/${index % 2 === 0 ? 'heads' : 'tags'}/n${index}`);
    await work.git('push', '--quiet', url, 'main', ...refs.map((ref) => `main:${ref}`));
    const left = async (): Promise<string[]> => (await work.git('ls-remote', '--refs', url)).trim().split('\n');

    const whole = await work.ran('push', '--quiet', '--atomic', url, '--delete', ...refs);
    t.match(whole.stderr, /too many branches and tags deleted: 30 in any 300 seconds; try again later/);
    t.equal((await left()).length, 33, 'a push that exceeds the budget deletes nothing');

    const some = await work.ran('push', url, 'main:new', ...refs.map((ref) => `:${ref}`));
    t.not(some.code, 0);
    t.match(some.stderr, /remote: too many branches and tags deleted/);
    t.match(some.stderr, /\[new branch\] +main -> new/);
    // In the order of their names, as the client deletes them.
    t.strictSame(
      await left(),
      ['heads/main', 'heads/new', 'tags/n7', 'tags/n9'].map((name) => `${tip}\trefs/${name}`),
    );

    for (const one of ['branches/new', 'tags/n9']) {
      const { status, headers } = await alice.client.delete(`${path}/${one}`);
      t.strictSame([status, headers.get('x-ratelimit-resource')], [429, 'branch.delete'], one);
    }
  },
);
