// The rules of issues as pure functions: issue numbers in paths, field values and the hierarchy.
import t from 'tap';
import { changedFields, checkedFields, deepest, issueNumber, parentRefusal, typeRefusal } from '#core/issues/index';
import { refusal } from './world.ts';

void t.test('a path has the number of an issue, alone or after the issue code of the repository', (t) => {
  const [coded, plain] = [{ issueCode: 'ABC' }, { issueCode: '' }];
  t.equal(issueNumber('7', coded), 7);
  t.equal(issueNumber('ABC-7', coded), 7);
  t.equal(issueNumber('7', plain), 7);
  for (const wrong of ['ABD-7', 'abc-7', 'ABC-0', 'ABC7', '-7', '0', '2147483648', '99999999999', '7.0', 'seven', ''])
    t.throws(() => issueNumber(wrong, coded), refusal('not_found'), wrong);
  t.throws(() => issueNumber('ABC-7', plain), refusal('not_found'), 'a code in a repository without one');
  t.end();
});

void t.test('field values are checked and normalized', async (t) => {
  t.same(
    checkedFields({ title: ' a ', assumptions: '', acceptanceCriteria: 'x', storyPoints: null, dueDate: '2028-02-29' }),
    { title: ' a ', assumptions: null, acceptanceCriteria: 'x', storyPoints: null, dueDate: '2028-02-29' },
    'an empty text becomes null, null is kept',
  );
  t.same(checkedFields({}), {}, 'absent members stay absent');
  t.throws(() => checkedFields({ title: ' \n' }), refusal('validation_failed', /"title"/));
  for (const day of ['2026-02-29', '2026-2-1', '0000-01-01', 'tomorrow', ''])
    t.throws(() => checkedFields({ dueDate: day }), refusal('validation_failed', /"due_date"/), day);
  t.same(
    changedFields({ title: 'a', storyPoints: 3, dueDate: null } as Parameters<typeof changedFields>[0], {
      title: 'a',
      storyPoints: null,
      dueDate: null,
    }),
    { storyPoints: null },
    'only changed members',
  );
});

const type = (name: string, isSubtask = false) => ({ name, isSubtask });
const at = (id: string, level: number, name = 'task') => ({
  id,
  type: type(name),
  ancestorIds: Array.from({ length: level - 1 }, (_, index) => `${id}-above-${index}`),
});

void t.test('allowed types of child and parent', (t) => {
  t.match(typeRefusal(type('bug'), type('chore', true)), /sub-task/);
  for (const above of ['epic', 'story']) t.match(typeRefusal(type(above), type('support')), /support/);
  for (const [child, parent] of [
    ['task', 'support'],
    ['support', 'epic'],
    ['epic', 'epic'],
    ['epic', 'bug'],
  ] as const)
    t.equal(typeRefusal(type(child), type(parent)), undefined, `${child} under ${parent}`);
  t.equal(typeRefusal(type('chore', true), type('bug')), undefined, 'a sub-task is a child');
  t.end();
});

void t.test('the parent of an issue is neither itself nor a descendant', (t) => {
  const child = { id: 'c', type: type('task'), height: 1 };
  t.equal(parentRefusal(child, at('p', 1)), undefined);
  t.match(parentRefusal(child, { ...at('c', 1) }), /its own parent/);
  t.match(parentRefusal({ ...child, height: 2 }, { ...at('p', 1), ancestorIds: ['x', 'c'] }), /descendants/);
  t.match(parentRefusal(child, { ...at('p', 1), type: type('chore', true) }), /sub-task/);
  t.end();
});

void t.test('issues have at most five levels, counted from the top to the lowest descendant', (t) => {
  for (let level = 1; level <= deepest; level++)
    for (let height = 1; height <= deepest; height++) {
      const refused = parentRefusal({ id: 'c', type: type('task'), height }, at('p', level)) !== undefined;
      t.equal(refused, level + height > 5, `${height} levels under one of level ${level}`);
    }
  t.end();
});
