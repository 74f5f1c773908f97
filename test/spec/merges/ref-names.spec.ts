// Tests that branches whose names contain Unicode line separators work like others.
import t from 'tap';
import { remote, stockGit, workTree } from '#test/support/servers/stock-git';
import { branch, commit, expect, workshop } from './workshop.ts';

for (const point of [0x2028, 0x2029])
  void t.test(
    `a branch with U+${point.toString(16)} in its name is pushed, written to, merged and deleted`,
    { timeout: 240_000 },
    async (t) => {
      const { forge, alice, repository, open } = await workshop(t);
      const code = await repository('code');
      const separator = String.fromCodePoint(point);
      const [source, target, pushed] = [`so${separator}urce`, `tar${separator}get`, `pu${separator}shed`];
      const names = async (): Promise<readonly string[]> =>
        (expect(await alice.client.get(`${code}/branches`), 200).body as { items: { name: string }[] }).items.map(
          ({ name }) => name,
        );

      await branch(alice.client, code, target);
      await branch(alice.client, code, source, target);
      await open(code, { source_branch: source, target_branch: target });
      const merged = expect(
        await alice.client.post(`${code}/merges/1/merge`, { body: { delete_source_branch: true } }),
        200,
      );
      t.match(merged.body, { state: 'merged', target_branch: target });
      await commit(alice.client, code, target, 'after.txt');

      const work = await workTree(await stockGit(t), 'work');
      const tip = await work.commit('Apart', { 'apart.txt': 'apart\n' });
      const url = remote(forge.url, 'alice/code', alice);
      await work.git('push', '--quiet', url, `main:refs/heads/${pushed}`, 'main:beside', `main:refs/tags/${pushed}`);
      t.same(
        new Set(await names()),
        new Set(['beside', 'main', 'topic', target, pushed]),
        'with other branches beside it',
      );
      t.match((await alice.client.get(`${code}/commits?ref=${encodeURIComponent(pushed)}`)).body, [{ sha: tip }]);
      await work.git('push', '--quiet', url, `:refs/heads/${pushed}`, ':beside');
      t.same(new Set(await names()), new Set(['main', 'topic', target]));
    },
  );
