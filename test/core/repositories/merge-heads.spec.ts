// Commits of merge requests: fetched and kept within the target's quota, with no refs left after interruptions.
import t, { type Test } from 'tap';
import { mergeHeadRef, type Repository } from '#core/repositories/index';
import { alice, bob, refusal, root, world, type World } from './world.ts';

interface Offer {
  readonly forge: World;
  readonly target: Repository;
  readonly offered: { readonly sourceRepositoryId: string; readonly commit: string };
}

async function offering(t: Test, settings?: Readonly<Record<string, number>>): Promise<Offer> {
  const forge = await world(settings === undefined ? {} : { settings });
  t.teardown(() => forge.close());
  const target = await forge.useCases.create(forge.as(alice), { name: 'a', visibility: 'public' });
  const fork = await forge.useCases.fork(await forge.granted(bob, 'repo.read', target), {});
  const commit = forge.git.commit(fork.id, 'refs/heads/topic', { f: '1' });
  return { forge, target, offered: { sourceRepositoryId: fork.id, commit } };
}

const signal = new AbortController().signal;
const merges = ({ forge, target }: Offer): readonly string[] =>
  [...(forge.git.repositories.get(target.id)?.refs.keys() ?? [])].filter((name) => name.startsWith('refs/merges'));

void t.test('a fetched commit exists without a ref, and a pruning is scheduled', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  let meanwhile: readonly string[] = [];
  forge.git.beforeRefsMove = () => {
    meanwhile = merges(offer);
  };
  await forge.useCases.mergeHeads.bring(target.id, offered, { signal });
  t.match(meanwhile, [/^refs\/merges\/brought\/[0-9a-f-]+$/], 'git accepts objects only with a ref');
  t.same(merges(offer), []);
  t.equal(forge.intents.open_.size, 0);
  const in15Days = new Date(Date.now() + 15 * 24 * 3_600_000);
  const due = await forge.store.duePrunes({ now: in15Days, idleSince: in15Days, limit: 9 });
  t.same(
    due.map(({ repositoryId }) => repositoryId),
    [target.id],
  );
});

void t.test('the head of a request is kept, updated and dropped, with maintenance afterwards', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  const { keep, drop } = forge.useCases.mergeHeads;
  await keep(target.id, 7, offered, { signal });
  const later = forge.git.commit(offered.sourceRepositoryId, 'refs/heads/topic', { f: '2' });
  await keep(target.id, 7, { ...offered, commit: later }, { signal });
  t.same(await forge.git.readRefs(target.id, [mergeHeadRef(7)]), [later]);
  t.ok(forge.git.maintained.includes(target.id));
  await keep(target.id, 7, { sourceRepositoryId: 'gone', commit: later }, { signal });
  t.equal(forge.git.calls.filter((name) => name === 'keepCommit').length, 2, 'an existing commit is not kept again');
  await drop(target.id, 7);
  await drop(target.id, 7);
  t.same(merges(offer), []);
});

void t.test("the quota of the target's owner applies, unless an administrator makes the request", async (t) => {
  const offer = await offering(t, { 'repositories.max_bytes_per_user': 1000 });
  const { forge, target, offered } = offer;
  const { keep, bring } = forge.useCases.mergeHeads;
  forge.git.brings = 1001;
  for (const by of [{ signal }, { signal, caller: bob }]) {
    await t.rejects(keep(target.id, 1, offered, by), { ...refusal('unprocessable'), code: 'quota_exceeded' });
    await t.rejects(bring(target.id, offered, by), { code: 'quota_exceeded' });
  }
  t.same(merges(offer), []);
  t.equal(forge.intents.open_.size, 0);
  await keep(target.id, 1, offered, { signal, caller: root });
  forge.git.brings = 999;
  await keep(target.id, 2, offered, { signal });
  t.same(merges(offer), [mergeHeadRef(1), mergeHeadRef(2)]);
});

void t.test('when others move the ref concurrently the last call wins, or rejects with a conflict', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  const other = forge.git.commit(offered.sourceRepositoryId, 'refs/heads/other', { f: '3' });
  const refs = forge.git.repositories.get(target.id)?.refs;
  let times = 2;
  forge.git.beforeRefsMove = () => {
    times -= 1;
    if (times >= 0) refs?.set(mergeHeadRef(1), other);
  };
  await forge.useCases.mergeHeads.keep(target.id, 1, offered, { signal });
  t.equal(refs?.get(mergeHeadRef(1)), offered.commit);
  times = 99;
  refs?.set(mergeHeadRef(1), other);
  await t.rejects(
    forge.useCases.mergeHeads.keep(target.id, 1, offered, { signal }),
    refusal('conflict'),
    'it moves each time',
  );
});

void t.test('a missing repository or commit is NotFound', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  const { keep } = forge.useCases.mergeHeads;
  await t.rejects(keep('00000000-0000-4000-8000-000000000000', 1, offered, { signal }), refusal('not_found'));
  await t.rejects(keep(target.id, 1, { ...offered, commit: 'b'.repeat(40) }, { signal }), refusal('not_found'));
});

void t.test('a process killed while it fetches a commit leaves a ref only until the reconciliation', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  forge.git.breaks = 'after refs moved';
  const { moveRefs } = forge.git;
  forge.git.moveRefs = () => Promise.reject(new Error('killed'));
  await t.rejects(forge.useCases.mergeHeads.bring(target.id, offered, { signal }), { message: /killed/ });
  t.equal(merges(offer).length, 1, 'the ref exists');
  t.equal(forge.intents.open_.size, 1, 'the intent is open');
  forge.git.breaks = 'never';
  forge.git.moveRefs = moveRefs;
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.same(merges(offer), []);
  t.equal(forge.intents.open_.size, 0);
  t.match(forge.logged, [{ intent: 'repositories.bring' }], 'the first attempt was logged');
});
