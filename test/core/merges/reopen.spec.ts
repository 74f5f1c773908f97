// Reopening requests from forks whose commits may have been pruned: an open request always has its head.
import t, { type Test } from 'tap';
import { alice, bench, head, main, moved, type Bench } from './bench.ts';
import { commit, fork, target } from './world.ts';

const from = { sourceRepositoryId: fork } as const;

/** A closed request from a fork. The target has its commits only if they are not pruned. */
async function closed(t: Test, { isPruned }: { readonly isPruned: boolean }): Promise<Bench> {
  const forge = await bench({ ...from, state: 'closed', closedAt: new Date(), baseOid: main });
  t.teardown(() => forge.storage.close());
  if (isPruned) forge.missing.add(head);
  return forge;
}

const request = (forge: Bench) => forge.store.find(target, 1);

void t.test('a request whose commits were pruned is reopened with the tip of its source', async (t) => {
  for (const tip of [head, moved]) {
    const forge = await closed(t, { isPruned: true });
    forge.tips.set(`${fork} topic`, tip);
    t.match(await forge.update({ state: 'open' }), { state: 'open', headOid: tip });
    t.equal(forge.kept.get(1), tip);
    t.notOk(forge.missing.has(tip));
    const pushed = tip === head ? [] : ['merge.pushed 1'];
    t.strictSame(await forge.events(), ['merge.reopened 1', ...pushed]);
  }
});

void t.test('the head is kept before the request is open', async (t) => {
  const forge = await closed(t, { isPruned: false });
  const states: unknown[] = [];
  const { keep } = forge.parts.heads;
  forge.parts.heads.keep = async (...given) => {
    states.push((await request(forge))?.state);
    await keep(...given);
  };
  await forge.update({ state: 'open' });
  t.equal(states[0], 'closed');
});

void t.test('a request whose commits are still there is reopened without its source', async (t) => {
  const forge = await closed(t, { isPruned: false });
  forge.tips.delete(`${fork} topic`);
  t.match(await forge.update({ state: 'open' }), { state: 'open', headOid: head });
  t.equal(forge.kept.get(1), head);
});

void t.test('a request whose commits were pruned stays closed if its source cannot be copied', async (t) => {
  for (const [what, arrange, code] of [
    [
      'the branch and its commits are gone',
      (forge: Bench) => forge.lost.add(head) && forge.tips.delete(`${fork} topic`),
      'source_branch_missing',
    ],
    ['the pusher cannot push', (forge: Bench) => forge.pushers.clear(), 'source_access_lost'],
  ] as const) {
    const forge = await closed(t, { isPruned: true });
    forge.source.isHidden = true;
    arrange(forge);
    await t.rejects(forge.update({ state: 'open' }), { kind: 'conflict', code, message: /./ }, what);
    t.match(await request(forge), { state: 'closed' });
    t.strictSame([...forge.kept], []);
    t.strictSame(await forge.events(), []);
    await forge.add({ authorId: alice.id, sourceBranch: 'other', headOid: commit(6) });
    forge.parents.set(commit(6), [main]);
    await forge.pushed('main', main, commit(6));
    t.match(await forge.store.find(target, 2), { state: 'merged' }, 'other requests follow the target');
  }
});

void t.test('a reopening that is refused keeps no commit', async (t) => {
  const forge = await closed(t, { isPruned: true });
  await forge.add({ authorId: alice.id, ...from });
  await t.rejects(forge.update({ state: 'open' }), { kind: 'conflict', message: /open already/ });
  t.equal(forge.kept.get(1), undefined);
});

void t.test('a request of a deleted fork is reopened only while its commits are there', async (t) => {
  for (const isPruned of [false, true]) {
    const forge = await bench({ sourceRepositoryId: undefined, state: 'closed', closedAt: new Date() });
    t.teardown(() => forge.storage.close());
    if (isPruned) forge.missing.add(head);
    if (isPruned) await t.rejects(forge.update({ state: 'open' }), { code: 'source_branch_missing', message: /./ });
    else t.match(await forge.update({ state: 'open' }), { state: 'open' });
  }
});
