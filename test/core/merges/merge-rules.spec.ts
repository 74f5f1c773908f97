// The rules that block a merge as pure functions: their order, their details, and merge messages.
import t from 'tap';
import { peopleOf, messageOf } from '#core/merges/merging/merge-commit';
import {
  blocked,
  blockingRules,
  conflictRule,
  mergeRuleCodes,
  type MergeSituation,
} from '#core/merges/merging/merge-rules';

const clear: MergeSituation = {
  request: { state: 'open', isDraft: false, sourceBranch: 'topic', targetBranch: 'main' },
  loss: undefined,
  hasSource: true,
  hasTarget: true,
  unmet: undefined,
  pipeline: undefined,
};
const codes = (situation: Partial<MergeSituation>): readonly string[] =>
  blockingRules({ ...clear, ...situation }).map(({ code }) => code);

void t.test('every blocking rule is returned, in a fixed order', (t) => {
  t.strictSame(codes({}), []);
  const worst: Partial<MergeSituation> = {
    request: { ...clear.request, isDraft: true, state: 'closed' },
    hasSource: false,
    hasTarget: false,
    unmet: { missing: 1, waitingFor: [] },
    pipeline: { code: 'pipeline_failed', detail: 'Mend it' },
  };
  t.strictSame(codes(worst), [
    'closed',
    'draft_not_ready',
    'source_branch_missing',
    'target_branch_missing',
    'pending_reviews',
    'pipeline_failed',
  ]);
  t.strictSame(codes({ ...worst, request: { ...clear.request, state: 'merged' } }), ['already_merged']);
  t.end();
});

void t.test('missing approvals are listed by name and number', (t) => {
  const detail = (missing: number, waitingFor: readonly string[]) =>
    blockingRules({ ...clear, unmet: { missing, waitingFor } })[0]?.detail;
  t.equal(detail(1, []), '1 more approval by others who may push');
  t.equal(detail(2, ['ann', 'ben']), 'Approval by ann, ben; 2 more approvals by others who may push');
  t.equal(detail(0, ['ann']), 'Approval by ann');
  const many = Array.from({ length: 30 }, (_, index) => `u${index}`);
  t.match(detail(0, many), /u9, others$/);
  t.end();
});

void t.test('a rejection has the code of its rule and a sentence', (t) => {
  for (const code of mergeRuleCodes) {
    const refusal = blocked({ code, detail: 'Do it' });
    t.strictSame([refusal.kind, refusal.code, refusal.detail], ['conflict', code, 'Do it']);
    t.strictSame(refusal.body, { reason: code });
    t.match(refusal.message, /^The (?:merge request|source|target|branches)|^There are/);
  }
  t.strictSame(blocked(conflictRule, { conflicts: ['a'] }).body, { reason: 'merge_conflict', conflicts: ['a'] });
  t.end();
});

void t.test('the message is the requested one, or names the branches or the request', (t) => {
  const request = { number: 7, title: 'Mend it', description: '\nWhy.\r\n', sourceBranch: 'a/b', targetBranch: 'main' };
  const repository = { owner: 'ann', name: 'code' };
  const message = (asked: string | undefined, strategy: 'merge' | 'squash', description = request.description) =>
    messageOf(asked, strategy, repository, { ...request, description });
  t.equal(message('Mine\r\n\n', 'merge'), 'Mine');
  for (const nothing of [undefined, '', ' \n'])
    t.equal(message(nothing, 'merge'), "Merge branch 'a/b' into 'main'\n\nMend it\n\nSee merge request ann/code!7");
  t.equal(message(undefined, 'squash'), 'Mend it\n\nWhy.\n\nSee merge request ann/code!7');
  t.equal(message(undefined, 'squash', ''), 'Mend it\n\nSee merge request ann/code!7');
  t.throws(() => message('a\0b', 'merge'), { name: 'ValidationFailed' });
  t.end();
});

void t.test('the committer is the caller, who is also the author unless another is given', (t) => {
  const people = (email: string, asked: object = {}) => peopleOf({ username: 'ann' }, email, 'forge.example', asked);
  const ann = { name: 'ann', email: 'ann@example.org' };
  t.strictSame(people(ann.email), { committer: ann, author: ann });
  t.equal(people('').committer.email, 'ann@noreply.forge.example');
  t.equal(people('<>').committer.email, 'ann@noreply.forge.example', 'git would make it empty');
  t.strictSame(people(ann.email, { authorName: 'Ben' }).author, { name: 'Ben', email: ann.email });
  t.strictSame(people(ann.email, { authorEmail: 'b@x' }).author, { name: 'ann', email: 'b@x' });
  t.throws(() => people(ann.email, { authorName: ' Ben' }), { name: 'ValidationFailed' });
  t.throws(() => people(ann.email, { authorEmail: '' }), { name: 'ValidationFailed' });
  t.end();
});
