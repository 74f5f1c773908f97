// Whether reviews allow a merge, as a pure function.
import t from 'tap';
import { unmetApprovals, type ReviewsGiven } from '#core/merges/model/approvals';

const given = (reviews: Readonly<Record<string, ReviewsGiven['reviews'][number]['state']>>, required = 0) =>
  unmetApprovals({
    reviews: Object.entries(reviews).map(([userId, state]) => ({ userId, state })),
    required,
    authorId: 'author',
    couldPush: new Set(['author', 'ann', 'ben', 'eve']),
  });

void t.test('without a rule and without a review nothing blocks', (t) => {
  t.equal(given({}), undefined);
  t.equal(given({ ann: 'approved' }), undefined);
  t.end();
});

void t.test('a pending or rejecting review blocks, also by the author or a reader', (t) => {
  for (const state of ['pending', 'changes_requested'] as const)
    for (const who of ['ann', 'author', 'reader'])
      t.same(given({ ben: 'approved', [who]: state }), { missing: 0, waitingFor: [who] }, `${who} ${state}`);
  t.same(given({ ben: 'pending', ann: 'changes_requested' }), { missing: 0, waitingFor: ['ben', 'ann'] });
  t.end();
});

void t.test('required approvals count only from users who can push, without the author', (t) => {
  t.same(given({}, 2), { missing: 2, waitingFor: [] });
  t.same(given({ ann: 'approved' }, 2), { missing: 1, waitingFor: [] });
  t.equal(given({ ann: 'approved', ben: 'approved' }, 2), undefined);
  t.equal(given({ ann: 'approved', ben: 'approved', eve: 'approved' }, 2), undefined, 'more than required');
  t.same(given({ author: 'approved' }, 1), { missing: 1, waitingFor: [] }, 'by the author');
  t.same(given({ reader: 'approved' }, 1), { missing: 1, waitingFor: [] }, 'by a user who may not push');
  t.same(given({ ann: 'approved', ben: 'changes_requested' }, 1), { missing: 0, waitingFor: ['ben'] }, 'both rules');
  t.same(given({ ben: 'pending' }, 1), { missing: 1, waitingFor: ['ben'] });
  t.end();
});
