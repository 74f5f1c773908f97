// The queue of the indexing, its work, and rebuilds.
import t from 'tap';
import type { ContributedDocument, Section } from '#core/search/model/section';
import { first, second, signal, world } from './world.ts';

const code = (repositoryId = first) => ({ section: 'code', repositoryId, key: '' });
const minute = 60_000;

/** A section whose documents a test sets. */
function notes(): Section & { readonly texts: Map<string, string>; failing: boolean } {
  const texts = new Map<string, string>();
  const made = (key: string, text: string): ContributedDocument => ({
    key,
    text,
    updatedAt: new Date(0),
    source: { key },
  });
  return {
    name: 'notes',
    scope: null,
    texts,
    failing: false,
    async document(_repositoryId, key) {
      const text = texts.get(key);
      return text === undefined ? undefined : made(key, text);
    },
    async *documents(repositoryId) {
      if (this.failing) throw new Error('no notes now');
      if (repositoryId === first) for (const [key, text] of texts) yield made(key, text);
    },
  };
}

void t.test('the queue: order, versions and backoff', async (t) => {
  const { queue, rows, clock } = await world();
  const all = () => rows.find({ where: {}, orderBy: ['dueAt', 'section'] });
  await queue.add(code(), clock.now());
  clock.advance(10);
  await queue.addMissing([code(), code(second)], clock.now());
  t.strictSame(
    (await all()).map(({ repositoryId, background }) => [repositoryId, background]),
    [
      [first, false],
      [second, true],
    ],
    'missing work does not replace queued work',
  );
  const [work] = await queue.due(clock.now(), false, 10);
  if (work === undefined) throw new Error('nothing is due');

  await t.test('work that is queued again meanwhile stays', async (t) => {
    await queue.add(code(), clock.now());
    await queue.done(work);
    await queue.retryLater(work, clock.now());
    await queue.continueLater(work, clock.now());
    t.match(await queue.due(clock.now(), false, 10), [{ repositoryId: first, attempts: 0, background: false }]);
  });

  await t.test('the pause doubles from 2 seconds to 5 minutes, and ends with the next event', async (t) => {
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 35; attempt += 1) {
      const [failed] = await rows.find({ where: { repositoryId: first }, orderBy: [] });
      if (failed === undefined) throw new Error('it is gone');
      await queue.retryLater(failed, clock.now());
      const [later] = await rows.find({ where: { repositoryId: first }, orderBy: [] });
      pauses.push(((later?.dueAt.getTime() ?? 0) - clock.now().getTime()) / 1000);
    }
    t.strictSame(pauses.slice(0, 9), [2, 4, 8, 16, 32, 64, 128, 256, 300]);
    t.equal(pauses.at(-1), 300);
    t.strictSame(await queue.due(clock.now(), false, 10), []);
    t.match(await queue.backlog(), { waiting: 2, failing: 1 });
    await queue.add(code(), clock.now());
    t.match(await queue.due(clock.now(), false, 10), [{ attempts: 0 }]);
    t.match(await queue.backlog(), { waiting: 2, failing: 0 });
  });

  await t.test('a change does not replace a command to read everything again', async (t) => {
    await queue.add(code(), clock.now(), { forced: true });
    await queue.add(code(), clock.now());
    t.match(await queue.due(clock.now(), false, 10), [{ forced: true }]);
  });
});

void t.test('the work: files and documents, until the queue is empty', async (t) => {
  const section = notes();
  const { queue, rows, clock, trees, create, indexing, paths, index, state } = await world({ sections: [section] });
  create(first);
  create(second);
  trees.commit(first, 'c1', { 'a.txt': 'a\n' });
  trees.commit(second, 'c2', { 'b.txt': 'b\n' });
  section.texts.set('1', 'one').set('2', 'two');
  const work = (): Promise<void> => indexing.work(signal, 1000);
  const documents = async () =>
    (await (await index()).entries({ section: 'notes', repositoryId: first }, undefined, 10)).map(({ key }) => key);

  await indexing.compare();
  await work();
  t.strictSame([await paths(), await paths(second), await documents()], [['a.txt'], ['b.txt'], ['1', '2']]);
  t.match(await queue.backlog(), { waiting: 0, failing: 0, since: undefined });

  await t.test('documents of events', async (t) => {
    section.texts.delete('1');
    section.texts.set('3', 'three');
    for (const key of ['1', '3', 'never']) await queue.add({ section: 'notes', repositoryId: first, key }, clock.now());
    await work();
    t.strictSame(await documents(), ['2', '3']);
  });

  await t.test('work that fails is tried again later, and other work continues', async (t) => {
    section.failing = true;
    await queue.add({ section: 'notes', repositoryId: first, key: '' }, clock.now());
    trees.commit(second, 'c3', { 'c.txt': 'c\n' });
    await queue.add(code(second), clock.now());
    await work();
    t.strictSame(await paths(second), ['c.txt']);
    t.match(await rows.find({ where: {}, orderBy: [] }), [{ section: 'notes', attempts: 1 }]);
    section.failing = false;
    clock.advance(minute);
    section.texts.delete('2');
    await work();
    t.strictSame([await documents(), (await queue.backlog()).waiting], [['3'], 0]);
  });

  await t.test('without a back end the work waits', async (t) => {
    const { backend } = state;
    state.backend = undefined;
    trees.commit(second, 'c4', { 'd.txt': 'd\n' });
    await queue.add(code(second), clock.now());
    await work();
    await indexing.compare();
    t.equal((await queue.backlog()).waiting, 1);
    state.backend = backend;
    await work();
    t.strictSame(await paths(second), ['d.txt']);
  });

  await t.test('a signal that aborts ends the work, and it is not lost', async (t) => {
    const controller = new AbortController();
    trees.commit(second, 'c5', { 'e.txt': 'e\n' });
    await queue.add(code(second), clock.now());
    trees.before = () => {
      controller.abort(new Error('stopping'));
      throw new Error('stopping');
    };
    await t.rejects(indexing.work(controller.signal, 1000), /stopping/);
    trees.before = () => undefined;
    t.match(await queue.due(clock.now(), false, 10), [{ attempts: 0 }]);
    await work();
    t.strictSame(await paths(second), ['e.txt']);
  });
});

void t.test('compare: removes what no longer exists, and never what was created meanwhile', async (t) => {
  const { queue, clock, trees, create, repositories, unlisted, indexing, paths, index } = await world();
  create(first);
  trees.commit(first, 'c1', { 'a.txt': 'a\n', 'a.md': 'a\n' });
  await queue.add(code(), clock.now());
  await indexing.work(signal, 1000);
  const sources = async () => (await (await index()).sources(undefined, 10)).map(({ section }) => section);
  t.strictSame(await sources(), ['code', 'docs']);

  const repository = repositories.get(first);
  unlisted.add(first);
  await indexing.compare();
  t.strictSame(await sources(), ['code', 'docs'], 'the list did not have it yet');
  unlisted.delete(first);

  repositories.delete(first);
  await indexing.compare();
  t.strictSame([await sources(), await paths()], [[], []]);
  if (repository !== undefined) repositories.set(first, repository);
  await indexing.compare();
  await indexing.work(signal, 1000);
  t.strictSame(await paths(), ['a.md', 'a.txt'], 'missing sources are queued');
});

void t.test('compare: pages of many repositories', async (t) => {
  const { create, indexing, queue, index } = await world();
  const id = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  for (let at = 0; at < 1200; at += 1) create(id(at));
  const some = await index();
  for (let at = 0; at < 1400; at += 2)
    for (const section of ['code', 'docs']) await some.write({ section, repositoryId: id(at) }, {}, 'x');
  await indexing.compare();
  t.equal((await queue.backlog()).waiting, 600, 'every second one was missing');
  const left = await some.sources({ section: 'x', repositoryId: id(1199) }, 1000);
  t.strictSame(left, [], 'those of repositories that do not exist are removed');
});

void t.test('a rebuild: the old index answers and follows until the new one has everything', async (t) => {
  const section = notes();
  const { queue, clock, trees, create, indexing, paths, state } = await world({ sections: [section] });
  create(first);
  create(second);
  trees.commit(first, 'c1', { 'a.txt': 'a\n' });
  await indexing.compare();
  await indexing.work(signal, 1000);
  const indexes = async (): Promise<number> => (await state.backend?.indexes())?.length ?? 0;

  await state.backend?.beginRebuild();
  t.equal(await indexes(), 2);
  trees.commit(first, 'c2', { 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await queue.add(code(), clock.now());
  await indexing.work(signal, 1000);
  t.strictSame(
    [await paths(first, 0), await paths(first, 1)],
    [
      ['a.txt', 'b.txt'],
      ['a.txt', 'b.txt'],
    ],
  );
  await indexing.compare();
  t.equal(await indexes(), 2, 'the other repository is missing');
  await indexing.compare();
  t.equal(await indexes(), 2, 'work waits');
  await indexing.work(signal, 1000);
  await indexing.compare();
  t.strictSame([await indexes(), await paths()], [1, ['a.txt', 'b.txt']]);
});
