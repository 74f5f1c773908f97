// Reviews on in-memory stores: one per user, while the request is open.
import t from 'tap';
import { alice, bob, carol, commit, dave, refusal, talkWorld } from './talk-world.ts';

void t.test('repo.write may review an open request, and a second review replaces the first', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const request = await forge.open();
  const { number } = request;
  const submit = async (caller = carol, state: 'approved' | 'changes_requested' = 'approved', body?: string, at = 1) =>
    forge.submit(await forge.granted(caller, 'repo.write', { now: new Date(at) }), { number, state, body });

  const first = await submit(carol, 'changes_requested', "it's <b>");
  t.same(first, {
    id: first.id,
    requestId: request.id,
    userId: carol.id,
    state: 'changes_requested',
    body: 'it&#39;s &lt;b&gt;',
    commitOid: commit(1),
    requestedAt: null,
    submittedAt: new Date(1),
    objected: false,
  });
  await forge.parts.unitOfWork.run(() =>
    forge.parts.store.update(request.id, { headOid: commit(2), updatedAt: new Date() }),
  );
  const second = await submit(carol, 'approved', undefined, 2);
  t.same(second, { ...first, state: 'approved', body: '', commitOid: commit(2), submittedAt: new Date(2) });
  const own = await submit(bob);
  t.match(own, { userId: bob.id, state: 'approved' }, 'the author too');
  await t.rejects(submit(dave), refusal('forbidden'), 'a reader');
  await t.rejects(submit(alice, 'approved', 'x'.repeat(65_537)), refusal('validation_failed', /"body"/));
  t.equal(await forge.reviews.count({ requestId: request.id }), 2);
  const about = (who: { readonly id: string }, id: string, state: string) => ({
    event: 'merge_review.submitted',
    actorId: who.id,
    aggregate: `merge:${request.id}`,
    review_id: id,
    user_id: who.id,
    state,
  });
  t.same(await forge.told(/^merge_review/), [
    about(carol, first.id, 'changes_requested'),
    about(carol, first.id, 'approved'),
    about(bob, own.id, 'approved'),
  ]);
});

void t.test('a requested reviewer submits the requested review', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const { id: requestId, number } = await forge.open();
  const asked = {
    id: '00000000-0000-4000-8000-0000000000aa',
    requestId,
    userId: carol.id,
    state: 'pending',
    objected: false,
    body: '',
    commitOid: null,
    requestedAt: new Date(5),
    submittedAt: null,
  } as const;
  await forge.parts.unitOfWork.run(() => forge.reviews.insert(asked));
  const given = await forge.submit(await forge.granted(carol, 'repo.write', { now: new Date(9) }), {
    number,
    state: 'approved',
    body: 'ok',
  });
  t.same(given, { ...asked, state: 'approved', body: 'ok', commitOid: commit(1), submittedAt: new Date(9) });
});

void t.test('closed, merged and missing requests cannot be reviewed', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const granted = await forge.granted(carol, 'repo.write');
  for (const state of ['closed', 'merged'] as const) {
    const { number } = await forge.open({ state });
    await t.rejects(
      forge.submit(granted, { number, state: 'approved' }),
      { ...refusal('conflict', new RegExp(state)), code: 'not_open' },
      state,
    );
  }
  await t.rejects(forge.submit(granted, { number: 99, state: 'approved' }), refusal('not_found'));
  t.same(await forge.told(/./), []);
});
