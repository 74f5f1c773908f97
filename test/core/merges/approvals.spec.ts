// When the reviews of a merge request let it be merged, on paper.
import t from 'tap';
import { unmetApprovals, type ReviewsGiven } from '#core/merges/approvals';

const given = (reviews: Readonly<Record<string, ReviewsGiven['reviews'][number]['state']>>, required = 0) =>
  unmetApprovals({
    reviews: Object.entries(reviews).map(([userId, state]) => ({ userId, state })),
    required,
    authorId: 'author',
    couldPush: new Set(['author', 'ann', 'ben', 'eve']),
  });

void t.test('without a rule and without a review nothing is in the way', (t) => {
  t.equal(given({}), undefined);
  t.equal(given({ ann: 'approved' }), undefined);
  t.end();
});

void t.test('a review that is pending or asks for changes is waited for, whoever it is of', (t) => {
  for (const state of ['pending', 'changes_requested'] as const)
    for (const who of ['ann', 'author', 'reader'])
      t.same(given({ ben: 'approved', [who]: state }), { missing: 0, waitingFor: [who] }, `${who} ${state}`);
  t.same(given({ ben: 'pending', ann: 'changes_requested' }), { missing: 0, waitingFor: ['ben', 'ann'] });
  t.end();
});

void t.test('approvals that a protection asks for are of people who could push, the author not counted', (t) => {
  t.same(given({}, 2), { missing: 2, waitingFor: [] });
  t.same(given({ ann: 'approved' }, 2), { missing: 1, waitingFor: [] });
  t.equal(given({ ann: 'approved', ben: 'approved' }, 2), undefined);
  t.equal(given({ ann: 'approved', ben: 'approved', eve: 'approved' }, 2), undefined, 'more than asked for');
  t.same(given({ author: 'approved' }, 1), { missing: 1, waitingFor: [] }, 'their own');
  t.same(given({ reader: 'approved' }, 1), { missing: 1, waitingFor: [] }, 'of who may not push');
  t.same(given({ ann: 'approved', ben: 'changes_requested' }, 1), { missing: 0, waitingFor: ['ben'] }, 'both rules');
  t.same(given({ ben: 'pending' }, 1), { missing: 1, waitingFor: ['ben'] });
  t.end();
});
