// Overrides are pruned with the records that they apply to.
import t from 'tap';
import { ada, hot, world } from './world.ts';

const gone = '00000000-0000-4000-8000-0000000000cc';
const rule = { windowSeconds: 60, burst: 0, action: 'throttle', enabled: true, reason: '' } as const;

async function narrowed() {
  const made = world();
  const { overrides, repositories, call } = made;
  repositories.all = [hot, gone];
  const set = (kind: string, targetId: string, scope = 'api.read') =>
    overrides.set(call, { kind, targetId, scope, ...rule, requestsPerWindow: 1 });
  await set('repos', hot);
  await set('repos', gone);
  await set('repos', gone, 'api.write');
  await set('users', ada);
  const left = async (kind: string) =>
    (await overrides.list(call, { kind, page: 1, perPage: 25 })).items.map(({ targetId }) => targetId);
  return { ...made, left };
}

void t.test('pruning deletes overrides of deleted records and keeps the others', async (t) => {
  const { overrides, repositories, left } = await narrowed();
  await overrides.prune();
  t.strictSame((await left('repos')).sort(), [hot, gone, gone]);
  repositories.all = [hot];
  await overrides.prune();
  t.strictSame(await left('repos'), [hot]);
  t.strictSame(await left('users'), [ada]);
  repositories.all = [];
  await overrides.prune();
  t.strictSame(await left('repos'), []);
});

void t.test('without a repositories plugin the overrides of repositories are kept', async (t) => {
  const { overrides, repositories, left } = await narrowed();
  repositories.all = undefined;
  await overrides.prune();
  t.strictSame((await left('repos')).sort(), [hot, gone, gone]);
});
