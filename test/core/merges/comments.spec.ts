// Review comments on in-memory stores: allowed callers, anchors and events.
import t from 'tap';
import { alice, bob, carol, commit, dave, refusal, root, talkWorld } from './talk-world.ts';

const page = { page: 1, perPage: 100 };
const absent = '00000000-0000-4000-8000-0000000000ff';

void t.test('repo.write may create comments; the author and administrators may update and delete them', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const { comments } = forge;
  const request = await forge.open();
  const { number } = request;
  const add = async (caller = carol, body = '<First>', now = new Date(2_000)) =>
    comments.create(await forge.granted(caller, 'repo.write', { now }), { number, body });
  const list = async () => comments.list(await forge.reading(dave), { number, page });

  const first = await add();
  t.same(first, {
    id: first.id,
    requestId: request.id,
    authorId: carol.id,
    commitOid: null,
    filePath: null,
    lineNumber: null,
    startLine: null,
    body: '&lt;First&gt;',
    resolved: false,
    outdated: false,
    createdAt: new Date(2_000),
    updatedAt: new Date(2_000),
  });
  const earlier = await add(bob, 'Earlier', new Date(1_000));
  t.same(await list(), [earlier, first], 'the oldest first');
  await t.rejects(add(dave), refusal('forbidden'), 'a reader');

  const change = async (caller = carol, wish: object = { body: 'Changed' }, id = first.id, now = new Date(3_000)) =>
    comments.update(await forge.granted(caller, 'repo.read', { now }), { number, id, ...wish });
  for (const other of [bob, dave]) await t.rejects(change(other), refusal('forbidden'), other.username);
  t.same(await change(carol, { body: '<First>', resolved: false }), first, 'an update without a change has no effect');
  await t.rejects(change(carol, {}), refusal('validation_failed', /"resolved"/));
  await t.rejects(change(carol, { body: ' ' }), refusal('validation_failed', /"body"/));
  await t.rejects(change(carol, { body: 'x' }, absent), refusal('not_found'));
  const resolved = { ...first, resolved: true, updatedAt: new Date(3_000) };
  t.same(await change(alice, { resolved: true }), resolved, 'the owner resolves');
  t.same(await change(root, { body: 'a' }, first.id, new Date(4_000)), {
    ...resolved,
    body: 'a',
    updatedAt: new Date(4_000),
  });
  await forge.collaborators.remove(forge.code.id, carol.id);
  t.match(await change(carol, { resolved: false }), { resolved: false }, 'the author, who may only read by now');

  const remove = async (caller = carol, id = first.id) =>
    comments.delete(await forge.granted(caller, 'repo.read'), { number, id });
  for (const other of [bob, dave]) await t.rejects(remove(other), refusal('forbidden'), other.username);
  await remove();
  await t.rejects(remove(), refusal('not_found'));
  await remove(alice, earlier.id);
  t.same(await list(), []);

  const about = (what: string, who: { readonly id: string }, id: string) => ({
    event: `merge_comment.${what}`,
    actorId: who.id,
    aggregate: `merge:${request.id}`,
    comment_id: id,
  });
  t.same(await forge.told(/^merge_comment/), [
    about('created', carol, first.id),
    about('created', bob, earlier.id),
    about('updated', alice, first.id),
    about('updated', root, first.id),
    about('updated', carol, first.id),
    about('deleted', carol, first.id),
    about('deleted', alice, earlier.id),
  ]);
});

void t.test('a comment is found only through its own request', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const { number } = await forge.open();
  const another = await forge.open();
  const { id } = await forge.comments.create(await forge.granted(bob, 'repo.write'), { number, body: 'x' });
  const granted = await forge.granted(bob, 'repo.read');
  for (const wrong of [another.number, 99]) {
    await t.rejects(forge.comments.update(granted, { number: wrong, id, resolved: true }), refusal('not_found'));
    await t.rejects(forge.comments.delete(granted, { number: wrong, id }), refusal('not_found'));
  }
  const elsewhere = await forge.add('other');
  await forge.open({ repositoryId: elsewhere.id, sourceRepositoryId: elsewhere.id });
  const other = await forge.granted(alice, 'repo.read', { repository: elsewhere });
  await t.rejects(forge.comments.delete(other, { number: 1, id }), refusal('not_found'), 'of another repository');
  await t.rejects(forge.comments.list(await forge.reading(dave), { number: 99, page }), refusal('not_found'));
  const writing = await forge.granted(bob, 'repo.write');
  await t.rejects(forge.comments.create(writing, { number: 99, body: 'x' }), refusal('not_found'));
});

void t.test('a comment keeps its commit, and reports whether its line still exists at the head', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const request = await forge.open();
  const { number } = request;
  const writing = await forge.granted(bob, 'repo.write');
  const made = await forge.comments.create(writing, { number, body: 'x', filePath: 'a.txt', lineNumber: 2 });
  t.match(made, { commitOid: commit(1), filePath: 'a.txt', lineNumber: 2, outdated: false });
  await t.rejects(
    forge.comments.create(writing, { number, body: 'x', filePath: 'a.txt', lineNumber: 3 }),
    refusal('validation_failed', /"line_number"/),
  );
  const listed = async () => (await forge.comments.list(await forge.reading(dave), { number, page }))[0];
  const moved = async (digit: number, hunks: string): Promise<void> => {
    const [oldPath, oldMode] = ['a.txt', '100644'];
    forge.differences.splice(0, 1, {
      oldPath,
      newPath: oldPath,
      oldMode,
      newMode: oldMode,
      isBinary: false,
      isAdd: false,
      isDelete: false,
      isRename: false,
      additions: 1,
      deletions: 1,
      sections: [{ header: '', hunks }],
    });
    await forge.parts.unitOfWork.run(() =>
      forge.parts.store.update(request.id, { headOid: commit(digit), updatedAt: new Date() }),
    );
  };
  await moved(2, '@@ -1 +1 @@\n-1\n+one\n');
  t.match(await listed(), { commitOid: commit(1), lineNumber: 2, outdated: false });
  await moved(3, '@@ -2 +2 @@\n-2\n+two\n');
  t.match(await listed(), { commitOid: commit(1), lineNumber: 2, outdated: true });
  const [resolved] = [await forge.granted(bob, 'repo.read')];
  t.match(await forge.comments.update(resolved, { number, id: made.id, resolved: true }), { outdated: true });
});
