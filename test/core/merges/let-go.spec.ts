// Tests that objects copied for ended merge requests from forks are pruned, or belong to the target.
import t from 'tap';
import type { MergeRequest } from '#core/merges/index';
import { aboutMerge } from '#core/merges/model/events';
import { commit, fork, target, world } from './world.ts';

const [one] = [commit(1)];

void t.test('a request from a fork that is closed unmerged keeps no commit', async (t) => {
  const given = await world();
  const ended = (request: MergeRequest, type: 'merge.closed' | 'merge.merged') =>
    given.letGo.ended(
      {
        id: 'e',
        at: new Date(),
        ...(type === 'merge.closed'
          ? { type, ...aboutMerge(request, 'alice') }
          : { type, ...aboutMerge(request, 'alice', { merge_commit: one }) }),
      } as Parameters<typeof given.letGo.ended>[0],
      given.signal,
    );
  const keep = async (patch: Partial<MergeRequest>): Promise<MergeRequest> => {
    const request = await given.add(patch);
    given.kept.set(request.number, one);
    return request;
  };
  const from = { sourceRepositoryId: fork };
  const closed = await keep({ ...from, state: 'closed' });
  const orphan = await keep({ sourceRepositoryId: undefined, state: 'closed' });
  const open = await keep({ ...from, targetBranch: 'b' });
  const own = await keep({ sourceRepositoryId: target, state: 'closed', targetBranch: 'c' });
  const merged = await keep({ ...from, state: 'merged', targetBranch: 'd' });
  for (const request of [closed, orphan, open, own, merged]) await ended(request, 'merge.closed');
  t.same(
    [...given.kept.keys()],
    [open, own, merged].map(({ number }) => number),
  );
  t.same(given.takenOver, [merged.id]);

  await given.follow.opened(
    { id: 'o', at: new Date(), type: 'merge.opened', ...aboutMerge(closed, 'alice') },
    given.signal,
  );
  t.notOk(given.kept.has(closed.number), 'a late event does not keep it again');
});

void t.test('a reopened request whose commits were pruned brings them again', async (t) => {
  const given = await world();
  const request = await given.add({ sourceRepositoryId: fork });
  given.tips.set(`${fork} topic`, one);
  given.missing.add(one);
  await given.follow.opened(
    { id: 'o', at: new Date(), type: 'merge.reopened', ...aboutMerge(request, 'alice') },
    given.signal,
  );
  t.equal(given.kept.get(request.number), one);
});
