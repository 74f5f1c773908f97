// The issues of a private repository are found by collaborators whose role may read issues.
import t from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { eventually, expect, issue, people, repositoryOf, repos, search } from './world.ts';

void t.test('a custom role without issue.read finds code and no issues, totals included', async (t) => {
  const forge = await sharedForge(t);
  const { alice, bob } = await people(t, forge);
  const carol = (await forge.createUser('carol')).client;
  await repositoryOf(alice, 'alice', 'closed', { 'a.txt': 'pangolin\n' }, 'private');
  await repositoryOf(alice, 'alice', 'open', { 'a.txt': 'pangolin\n' });
  for (const repository of ['alice/closed', 'alice/open']) await issue(alice, repository, 'A pangolin');
  const collaborate = async (name: string, repository: string, permissions: readonly string[]): Promise<void> =>
    void expect(
      await alice.put(`${repos}/alice/${repository}/collaborators/${name}`, { body: { role: 'crew', permissions } }),
      204,
    );
  await collaborate('bob', 'closed', ['repo.read']);
  await collaborate('bob', 'open', ['repo.read']);
  await collaborate('carol', 'closed', ['repo.read', 'issue.read']);
  const totals = async (client: typeof bob): Promise<readonly number[]> => {
    const { code, issues } = await search(client, 'pangolin');
    return [code.total, issues.total, issues.hits.length];
  };
  await eventually(
    () => totals(carol),
    ([code, issues]) => code === 2 && issues === 2,
  );
  t.strictSame(await totals(carol), [2, 2, 2]);
  t.strictSame(await totals(bob), [2, 1, 1], 'by visibility, everybody reads the issues of a public repository');
  t.strictSame((await search(bob, 'pangolin repo:alice/closed')).issues.total, 0);
  t.strictSame((await search(carol, 'pangolin repo:alice/closed')).issues.total, 1);
  await collaborate('bob', 'closed', ['repo.read', 'issue.read']);
  t.strictSame(await totals(bob), [2, 2, 2], 'at once');
});
