// Merging into a branch: what the area of merge requests says in the moment in which it would move.
import t from 'tap';
import { Conflict } from '#core/kernel/errors';
import type { MergeHooks } from '#core/repositories/index';
import { oid } from './fake-git.ts';
import { alice, world } from './world.ts';

const main = 'refs/heads/main';
const person = { name: 'Alice', email: 'alice@example.com', date: new Date(0) };

void t.test('what is not allowed any more when the branch would move', async (t) => {
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

  await t.test('rejects as the hook does; the branch stays, nothing is told of it', async (t) => {
    await t.rejects(merge({ allowed: () => Promise.reject(closed) }), closed);
    t.same(await w.git.readRefs(repository.id, [main]), before);
    t.equal(w.intents.open_.size, 0);
    t.same(
      (await w.events()).filter(({ type }) => type === 'push'),
      [],
    );
  });

  await t.test('is asked once, and after it was announced', async (t) => {
    const asked: string[] = [];
    const { kind } = await merge({
      announced: async () => void asked.push('announced'),
      allowed: async () => void asked.push('allowed'),
    });
    t.equal(kind, 'merged');
    t.same(asked, ['announced', 'allowed']);
  });
});
