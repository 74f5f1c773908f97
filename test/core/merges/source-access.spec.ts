// Whether merge requests may follow their sources: the rule, losses during a copy, and losses by events.
import t from 'tap';
import { accessUseCases, loseSource } from '#core/merges/merging/lose-source';
import { followSource } from '#core/merges/merging/heads';
import { sourceLossOf, type SourceClaim, type SourceStanding } from '#core/merges/model/source-access';
import { commit, fork, target, world } from './world.ts';

const claim: SourceClaim = {
  authorId: 'alice',
  reopenedById: null,
  sourceLoss: null,
  sourceVisibility: 'public',
  targetVisibility: 'public',
};
const standing: SourceStanding = { canPush: true, source: 'public', target: 'public' };

void t.test('the permission to push, the visibilities and what somebody agreed to decide', async (t) => {
  const loss = (of: Partial<SourceClaim>, now: Partial<SourceStanding>) =>
    sourceLossOf({ ...claim, ...of }, { ...standing, ...now });
  t.equal(loss({}, {}), undefined);
  t.equal(loss({}, { canPush: false }), 'cannot_push');
  t.equal(loss({ sourceLoss: 'less_visible' }, {}), 'less_visible', 'a recorded loss stays');
  t.equal(loss({}, { source: 'private' }), 'less_visible');
  t.equal(loss({}, { source: 'internal' }), 'less_visible');
  t.equal(loss({}, { target: 'private' }), undefined, 'a more visible source');
  t.equal(loss({ sourceVisibility: 'private' }, { source: 'private' }), undefined, 'agreed to');
  t.equal(loss({ sourceVisibility: 'private' }, { source: 'internal' }), undefined, 'it became more visible');
  t.equal(loss({ sourceVisibility: 'internal' }, { source: 'private' }), 'less_visible');
  const shown = { sourceVisibility: 'private', targetVisibility: 'internal' } as const;
  t.equal(loss(shown, { source: 'private', target: 'internal' }), undefined);
  t.equal(loss(shown, { source: 'private', target: 'public' }), 'less_visible');
  const unknown = { sourceVisibility: null, targetVisibility: null };
  t.equal(loss(unknown, {}), undefined);
  t.equal(loss(unknown, { source: 'private' }), 'less_visible', 'nobody is known to have agreed');
});

void t.test('access that is lost while the commits are copied leaves the head unchanged', async (t) => {
  const given = await world();
  const request = await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, commit(2));
  given.hooks.whileCopying = async () => void given.pushers.delete('alice');
  const after = await followSource(given.parts, request, { signal: given.signal });
  t.match(after, { headOid: commit(1), sourceLoss: 'cannot_push' });
  t.match(await given.store.find(target, 1), { headOid: commit(1), sourceLoss: 'cannot_push' });
  given.pushers.add('alice');
  t.match(await followSource(given.parts, after, { signal: given.signal }), { headOid: commit(1) }, 'the loss stays');
  t.strictSame(await given.events(), ['merge.updated 1'], 'recorded once');
});

void t.test('a lost source is not read or copied', async (t) => {
  const given = await world();
  await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, commit(2));
  given.pushers.clear();
  await given.pushed('topic', commit(1), commit(2), { repository: fork });
  t.strictSame(given.brought, []);
  t.match(await given.store.find(target, 1), { headOid: commit(1), sourceLoss: 'cannot_push' });
});

void t.test('the permission of the user who reopened the request counts instead of that of the author', async (t) => {
  const given = await world();
  const request = await given.add({ sourceRepositoryId: fork, reopenedById: 'bob' });
  t.match(await loseSource(given.parts, request), { sourceLoss: 'cannot_push' }, 'the author can push, bob cannot');
  given.pushers.add('bob').delete('alice');
  const other = await given.add({ sourceRepositoryId: fork, sourceBranch: 'other', reopenedById: 'bob' });
  t.match(await loseSource(given.parts, other), { sourceLoss: null });
});

void t.test('events of access record losses of the requests that they concern, and of no others', async (t) => {
  const given = await world();
  const access = accessUseCases(given.parts);
  const event = { id: 'e', aggregate: 'a', at: new Date(0) };
  const collaborator = { repository_id: fork, user_id: 'alice', role: 'write' };
  const repository = { repository_id: fork, owner_id: 'o', name: 'n', visibility: 'private' } as const;
  const lost = async (): Promise<readonly number[]> => {
    const all = await Promise.all([1, 2, 3, 4].map((number) => given.store.find(target, number)));
    return all.flatMap((request) => (request === undefined || request.sourceLoss === null ? [] : [request.number]));
  };
  await given.add({ sourceRepositoryId: fork });
  await given.add({ sourceRepositoryId: fork, sourceBranch: 'b', authorId: 'bob' });
  await given.add({ sourceRepositoryId: fork, sourceBranch: 'c', state: 'closed' });
  await given.add({ sourceBranch: 'own' });
  given.pushers.add('bob');
  await access.collaboratorChanged({ ...event, type: 'collaborator.updated', payload: { ...collaborator } });
  t.strictSame(await lost(), [], 'alice can still push');
  given.pushers.clear();
  await access.collaboratorChanged({ ...event, type: 'collaborator.removed', payload: collaborator });
  t.strictSame(await lost(), [1], 'bob is checked when his access changes');
  await access.userSuspended({ ...event, type: 'user.suspended', payload: { userId: 'bob', username: 'bob' } });
  t.strictSame(await lost(), [1, 2]);

  for (const changed of [fork, target]) {
    const other = await world();
    const visible = accessUseCases(other.parts);
    await other.add({ sourceRepositoryId: fork, sourceVisibility: 'public', targetVisibility: 'public' });
    other.visibility.set(fork, 'private');
    const payload = { ...repository, repository_id: changed, old_visibility: 'public' } as const;
    await visible.visibilityChanged({ ...event, type: 'repository.visibility_changed', payload });
    t.match(await other.store.find(target, 1), { sourceLoss: 'less_visible' }, changed);
  }

  const demoted = await world();
  await demoted.add({ sourceRepositoryId: fork });
  demoted.pushers.clear();
  const { userUpdated } = accessUseCases(demoted.parts);
  const updated = (fields: readonly string[]) =>
    userUpdated({ ...event, type: 'user.updated', payload: { userId: 'alice', username: 'alice', fields } });
  await updated(['display_name']);
  t.match(await demoted.store.find(target, 1), { sourceLoss: null });
  await updated(['is_admin']);
  t.match(await demoted.store.find(target, 1), { sourceLoss: 'cannot_push' });
});
