// Commits of merge requests: brought and kept within the target's quota, with nothing left where it broke off.
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

void t.test(
  'a commit that is brought is there, is named by no ref, and goes with a pruning that is planned',
  async (t) => {
    const offer = await offering(t);
    const { forge, target, offered } = offer;
    let meanwhile: readonly string[] = [];
    forge.git.beforeRefsMove = () => {
      meanwhile = merges(offer);
    };
    await forge.useCases.mergeHeads.bring(target.id, offered, { signal });
    t.match(meanwhile, [/^refs\/merges\/brought\/[0-9a-f-]+$/], 'git takes no objects without a ref');
    t.same(merges(offer), []);
    t.equal(forge.intents.open_.size, 0);
    const in15Days = new Date(Date.now() + 15 * 24 * 3_600_000);
    const due = await forge.store.duePrunes({ now: in15Days, idleSince: in15Days, limit: 9 });
    t.same(
      due.map(({ repositoryId }) => repositoryId),
      [target.id],
    );
  },
);

void t.test('the head of a request is kept, follows, and is dropped; upkeep follows too', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  const { keep, drop } = forge.useCases.mergeHeads;
  await keep(target.id, 7, offered, { signal });
  const later = forge.git.commit(offered.sourceRepositoryId, 'refs/heads/topic', { f: '2' });
  await keep(target.id, 7, { ...offered, commit: later }, { signal });
  t.same(await forge.git.readRefs(target.id, [mergeHeadRef(7)]), [later]);
  t.ok(forge.git.maintained.includes(target.id));
  await keep(target.id, 7, { sourceRepositoryId: 'gone', commit: later }, { signal });
  t.equal(forge.git.calls.filter((name) => name === 'keepCommit').length, 2, 'what is there is kept already');
  await drop(target.id, 7);
  await drop(target.id, 7);
  t.same(merges(offer), []);
});

void t.test('whose quota it is: that of the owner of the target, unless an administrator asks', async (t) => {
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

void t.test('where others move the ref meanwhile the last call wins, or says that it gave up', async (t) => {
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

void t.test('what is not there is not found', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  const { keep } = forge.useCases.mergeHeads;
  await t.rejects(keep('00000000-0000-4000-8000-000000000000', 1, offered, { signal }), refusal('not_found'));
  await t.rejects(keep(target.id, 1, { ...offered, commit: 'b'.repeat(40) }, { signal }), refusal('not_found'));
});

void t.test('a process that ends while it brings a commit leaves no ref for long', async (t) => {
  const offer = await offering(t);
  const { forge, target, offered } = offer;
  forge.git.breaks = 'after refs moved';
  const { moveRefs } = forge.git;
  forge.git.moveRefs = () => Promise.reject(new Error('killed'));
  await t.rejects(forge.useCases.mergeHeads.bring(target.id, offered, { signal }), { message: /killed/ });
  t.equal(merges(offer).length, 1, 'it stands there');
  t.equal(forge.intents.open_.size, 1, 'and is announced');
  forge.git.breaks = 'never';
  forge.git.moveRefs = moveRefs;
  forge.intents.die();
  await forge.useCases.reconciler.run();
  t.same(merges(offer), []);
  t.equal(forge.intents.open_.size, 0);
  t.match(forge.logged, [{ intent: 'repositories.bring' }], 'the first attempt was logged');
});
