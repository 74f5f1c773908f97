// Writing files through the API: races for the branch, interruptions, and their answers.
import t from 'tap';
import type { Repository, WriteCommand } from '#core/repositories/index';
import { oid } from './fake-git.ts';
import { alice, refusal, world, type World } from './world.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const main = 'refs/heads/main';

async function opened(t: { teardown(work: () => Promise<void>): unknown }): Promise<{
  w: World;
  repository: Repository;
  write: (command: Partial<WriteCommand>) => ReturnType<World['useCases']['writeContents']>;
}> {
  const w = await world();
  t.teardown(() => w.close());
  const repository = await w.useCases.create(w.as(alice), { name: 'code', visibility: 'public' });
  w.git.commit(repository.id, main, { 'README.md': 'one' });
  return {
    w,
    repository,
    write: async (command) =>
      w.useCases.writeContents(await w.granted(alice, 'repo.write', repository), {
        path: 'new',
        message: 'Write',
        content: utf8('x'),
        ...command,
      }),
  };
}
const pushes = async (w: World) =>
  (await w.events()).filter(({ type }) => type === 'push').map(({ payload }) => payload);

void t.test('a write that loses a race for the branch retries on top of the other commit', async (t) => {
  const { w, repository, write } = await opened(t);
  let rivals = 2;
  w.git.beforeRefsMove = () => {
    if (rivals-- > 0) w.git.commit(repository.id, main, { 'README.md': 'one', [`rival-${rivals}`]: 'x' });
  };
  const { created, commit } = await write({});
  t.equal(created, true);
  t.equal(w.git.calls.filter((name) => name === 'write').length, 3);
  t.same(await w.git.readRefs(repository.id, [main]), [commit.oid]);
  t.equal(w.intents.open_.size, 0, 'every intent is closed, landed or not');
  t.match(await pushes(w), [{ ref: main, old: commit.parents[0], new: commit.oid, actor: alice.id }]);
});

void t.test('a file that changed meanwhile is a conflict and is not overwritten', async (t) => {
  const { w, repository, write } = await opened(t);
  const sha = (await w.git.entry(repository.id, oid(1), 'README.md'))?.oid;
  w.git.beforeRefsMove = () => {
    w.git.beforeRefsMove = undefined;
    w.git.commit(repository.id, main, { 'README.md': 'by a rival' });
  };
  await t.rejects(write({ path: 'README.md', sha }), refusal('conflict'));
  t.equal(w.intents.open_.size, 0);
});

void t.test('a commit to a new branch makes the branch and the commit, or neither', async (t) => {
  const { w, repository, write } = await opened(t);
  const sha = (await w.git.entry(repository.id, oid(1), 'README.md'))?.oid;
  const topic = 'refs/heads/topic';
  const there = async () => (await w.git.readRefs(repository.id, [topic]))[0];
  const none = await there();
  await t.rejects(write({ branch: 'topic', from: 'main', path: 'README.md', sha: oid(9) }), refusal('conflict'));
  await t.rejects(write({ branch: 'topic', from: 'none' }), refusal('not_found'));
  await t.rejects(write({ branch: '-topic', from: 'main' }), refusal('validation_failed'));
  t.same([await there(), await pushes(w)], [none, []]);

  const { commit, created } = await write({ branch: 'topic', from: 'main', path: 'README.md', sha });
  t.same([created, commit.parents, await there()], [false, [oid(1)], commit.oid]);
  t.match(await pushes(w), [{ ref: topic, old: none, new: commit.oid }], 'one push');
  await t.rejects(write({ branch: 'topic', from: 'main' }), refusal('conflict'));

  w.git.beforeRefsMove = () => {
    w.git.beforeRefsMove = undefined;
    w.git.commit(repository.id, 'refs/heads/rival', { 'README.md': 'one' });
  };
  await t.rejects(write({ branch: 'rival', from: 'main' }), refusal('conflict'), 'somebody else made it meanwhile');
  t.equal(w.intents.open_.size, 0);
});

void t.test('a branch that moves at each attempt is a conflict', async (t) => {
  const { w, repository, write } = await opened(t);
  w.git.beforeRefsMove = () => void w.git.commit(repository.id, main, { 'README.md': 'one' });
  await t.rejects(write({}), refusal('conflict'));
  t.equal(w.intents.open_.size, 0);
  t.same(await pushes(w), []);
});

void t.test(
  'a landed write succeeds although it is recorded later or git reports nothing, and is one commit',
  async (t) => {
    for (const lose of [
      (w: World): void => w.intents.failClose(),
      (w: World): void => w.loseNextCommit(),
      (w: World): void => {
        const { write } = w.git;
        w.git.write = async (...call) => ({ ...(await write.apply(w.git, call)), refusal: 'git said nothing of it' });
      },
    ]) {
      const { w, repository, write } = await opened(t);
      lose(w);
      const { created, commit } = await write({});
      t.equal(created, true);
      t.same(await w.git.readRefs(repository.id, [main]), [commit.oid]);
      for (let run = 0; run < 2; run += 1) await w.useCases.reconciler.run();
      t.match(await pushes(w), [{ ref: main, old: commit.parents[0], new: commit.oid }]);
      t.equal((await pushes(w)).length, 1);
      t.equal(w.intents.open_.size, 0);
    }
  },
);

void t.test('an interrupted write is concluded from the branch, and the next write proceeds', async (t) => {
  const { w, repository, write } = await opened(t);
  w.git.beforeRefsMove = () => {
    w.git.beforeRefsMove = undefined;
    throw new Error('killed');
  };
  const [broken, next] = await Promise.allSettled([write({ path: 'a' }), write({ path: 'b' })]);
  t.equal(broken.status, 'rejected');
  t.equal(next.status, 'fulfilled');
  t.equal(w.intents.open_.size, 0);
  t.equal((await pushes(w)).length, 1);
  t.ok(await w.git.entry(repository.id, (await w.git.readRefs(repository.id, [main]))[0] ?? '', 'b'));
});

void t.test('a write that a rule rejects is an error, and nothing moves', async (t) => {
  const { w, repository, write } = await opened(t);
  await t.rejects(write({ path: 'README.md', sha: undefined }), refusal('conflict'));
  await t.rejects(write({ branch: 'absent' }), refusal('not_found'));
  await t.rejects(write({ path: 'gone', content: undefined, sha: oid(9) }), refusal('not_found'));
  t.same(await w.git.readRefs(repository.id, [main]), [oid(1)]);
});

void t.test(
  '13. a path of thousands of folders takes few lookups, and one through a file is rejected at any depth',
  async (t) => {
    const { w, repository, write } = await opened(t);
    const deep = Array.from({ length: 1000 }, () => 'd').join('/');
    w.git.commit(repository.id, main, { 'README.md': 'one', [deep]: 'deep', 'a/b/c': 'file' });
    const looks = (): number => w.git.calls.filter((name) => name === 'entry').length;
    const before = looks();
    await t.rejects(write({ path: deep }), refusal('conflict'));
    await write({ path: `${deep.slice(0, -2)}/new` });
    t.ok(looks() - before <= 20, `${looks() - before} looks`);
    for (const path of ['README.md/x', 'README.md/x/y/z', 'a/b/c/d', 'a/b/c/d/e/f/g', `${deep}/x`])
      await t.rejects(write({ path }), refusal('unprocessable', /is a file/), path);
  },
);
