// Merging into a branch: the `allowed` hook of merge requests just before the branch moves.
import t from 'tap';
import { Conflict } from '#core/kernel/errors';
import type { MergeHooks } from '#core/repositories/index';
import { oid } from './fake-git.ts';
import { alice, world } from './world.ts';

const main = 'refs/heads/main';
const person = { name: 'Alice', email: 'alice@example.com', date: new Date(0) };

void t.test('the hook that decides just before the branch moves', async (t) => {
  const w = await world();
  t.teardown(() => w.close());
  const repository = await w.useCases.create(w.as(alice), { name: 'code', visibility: 'public' });
  w.git.commit(repository.id, main, { 'README.md': 'one' });
  w.git.commit(repository.id, 'refs/heads/topic', { 'README.md': 'one', new: 'x' });
  const [, source = oid(2)] = await w.git.readRefs(repository.id, [main, 'refs/heads/topic']);
  const change = {
    branch: 'main',
    source,
    strategy: 'merge',
    message: 'Merge',
    author: person,
    committer: person,
  } as const;
  const merge = async (hooks: MergeHooks) =>
    w.useCases.merging.merge(await w.granted(alice, 'merge.merge', repository), change, hooks);
  const before = await w.git.readRefs(repository.id, [main]);
  const closed = new Conflict('The merge request is closed');

  await t.test('rejects with the error of the hook; the branch does not move, and no event is emitted', async (t) => {
    await t.rejects(merge({ allowed: () => Promise.reject(closed) }), closed);
    t.same(await w.git.readRefs(repository.id, [main]), before);
    t.equal(w.intents.open_.size, 0);
    t.same(
      (await w.events()).filter(({ type }) => type === 'push'),
      [],
    );
  });

  await t.test('is called once, after the announcement', async (t) => {
    const asked: string[] = [];
    const { kind } = await merge({
      announced: async () => void asked.push('announced'),
      allowed: async () => void asked.push('allowed'),
    });
    t.equal(kind, 'merged');
    t.same(asked, ['announced', 'allowed']);
  });
});
