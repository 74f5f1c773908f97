// Tests of the hidden refs `refs/merges/{number}/head` of the target, which keep the commits of each request: git
// clients may fetch them and no push may change them.
import t from 'tap';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { branch, commit, expect, workshop } from '../workshop.ts';

void t.test('heads of merge requests for git clients', async (t) => {
  const { forge, alice, bob, repository, open, settled } = await workshop(t);
  const code = await repository('code');
  const shut = await repository('shut', 'private');
  const tip = async (name: string, path = code): Promise<string> =>
    ((await alice.client.get(`${path}/commits?ref=${name}&per_page=1`)).body as [{ readonly sha: string }])[0].sha;
  await open(code);
  await open(shut);
  const head = 'refs/merges/1/head';
  const git = await stockGit(t);
  const work = await workTree(git, 'work');
  const origin = remote(forge.url, 'alice/code', alice);
  await work.git('pull', '--quiet', origin, 'main');
  const listed = async (url = origin, ...more: readonly string[]): Promise<string> =>
    (await work.git(...more, 'ls-remote', url, 'refs/merges/*')).trim();

  await t.test('every reader of the repository may fetch these refs, by each version of the protocol', async (t) => {
    const topic = await tip('topic');
    for (const version of ['0', '1', '2'])
      t.equal(await listed(origin, '-c', `protocol.version=${version}`), `${topic}\t${head}`);
    await work.git('fetch', '--quiet', remote(forge.url, 'alice/code'), `${head}:offered`);
    t.equal((await work.git('rev-parse', 'offered')).trim(), topic, 'of a public repository, without a credential');
    t.equal((await bob.client.get(`${code}/contents/topic.txt?ref=${encodeURIComponent(head)}`)).status, 200);
    t.equal(await listed(remote(forge.url, 'alice/shut', alice)), `${await tip('topic', shut)}\t${head}`);
    t.not((await work.ran('ls-remote', remote(forge.url, 'alice/shut', bob))).code, 0);
  });

  await t.test('lists, clones and forks do not contain these refs', async (t) => {
    for (const list of ['branches', 'tags'])
      t.notMatch(JSON.stringify((await alice.client.get(`${code}/${list}`)).body), /merges/, list);
    await git.git('clone', '--quiet', origin, 'clone');
    t.notMatch(await git.at('clone').git('for-each-ref'), /merges/);
    expect(await bob.client.post(`${code}/forks`, { body: {} }), 201);
    t.equal(await listed(remote(forge.url, 'bob/code', bob)), '');
  });

  await t.test(
    'pushing or deleting such a ref is refused with the reason, and other refs of the push are accepted',
    async (t) => {
      await work.commit('Other', { other: 'x' });
      const refused = [
        [`+HEAD:${head}`],
        [`:${head}`],
        ['HEAD:refs/merges/99/head'],
        ['HEAD:refs/merges/brought/x'],
        ['HEAD:refs/merges/1/merge'],
        ['HEAD:refs/merges/x'],
        ['HEAD:refs/heads/atomic', `+HEAD:${head}`, '--atomic'],
      ];
      const before = await listed();
      for (const refspecs of refused) {
        const { code: ended, stderr } = await work.ran('push', origin, ...refspecs);
        t.not(ended, 0, refspecs.join(' '));
        t.match(stderr, /"refs\/merges\/" is kept for merge requests, and nobody pushes there/, refspecs.join(' '));
      }
      t.equal(await listed(), before);
      t.equal(
        (await alice.client.get(`${code}/contents/?ref=atomic`)).status,
        404,
        'with --atomic one refusal refuses all',
      );
      const partly = await work.ran('push', origin, 'HEAD:refs/heads/part', `+HEAD:${head}`);
      t.not(partly.code, 0);
      t.match(partly.stderr, /remote rejected\] HEAD -> refs\/merges\/1\/head/);
      t.equal((await alice.client.get(`${code}/contents/other?ref=part`)).status, 200);
      t.equal(await listed(), before);
      t.equal((await alice.client.delete(`${code}/branches/${encodeURIComponent(head)}`)).status, 404);
      t.equal((await alice.client.delete(`${code}/tags/${encodeURIComponent(head)}`)).status, 404);
      expect(await alice.client.post(`${code}/branches`, { body: { name: 'merges/1/head', base_ref: 'main' } }), 201);
      t.equal(await listed(), before, 'a branch with such a name is an ordinary branch');
    },
  );

  await t.test('a mirror of the repository can be pushed elsewhere, except for these refs', async (t) => {
    await git.git('clone', '--quiet', '--mirror', origin, 'mirror');
    t.match(await git.at('mirror').git('for-each-ref'), /refs\/merges\/1\/head/);
    expect(await bob.client.post('/api/v1/repos', { body: { name: 'copy' } }), 201);
    const copy = remote(forge.url, 'bob/copy', bob);
    t.not((await git.at('mirror').ran('push', '--mirror', copy)).code, 0);
    t.match(await work.git('ls-remote', copy), /refs\/heads\/topic/);
    t.equal(await listed(copy), '');
  });

  await t.test('these refs follow the source, also force pushes, and remain after the source is deleted', async (t) => {
    const pushed = await commit(alice.client, code, 'topic', 'more.txt');
    await settled();
    t.equal(await listed(), `${pushed}\t${head}`);
    const other = (await work.git('rev-parse', 'HEAD')).trim();
    await work.git('push', '--quiet', '--force', origin, 'HEAD:topic');
    await settled();
    t.equal(await listed(), `${other}\t${head}`);
    expect(await alice.client.delete(`${code}/branches/topic`), 204);
    await settled();
    t.equal(await listed(), `${other}\t${head}`);
    t.equal((await alice.client.get(`${code}/merges/1/commits`)).status, 200);
  });

  await t.test('each request has its own head', async (t) => {
    const second = await branch(alice.client, code, 'second');
    await open(code, { source_branch: 'second' });
    t.match(await listed(), `${second}\trefs/merges/2/head`);
  });
});
