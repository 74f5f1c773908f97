// Milestones on in-memory stores: rules, events, issue counts and holding.
import t from 'tap';
import { Unavailable } from '#core/kernel/errors';
import { inState, maxMilestones, milestoneParts, type Milestone } from '#core/planning/index';
import { granted, refusal, world } from './world.ts';

const [one, two] = [granted('one'), granted('two')];
const later = new Date('2026-02-03T04:05:06.789Z');

void t.test('milestone members are validated and normalized', async (t) => {
  const whole = { title: ' 1.0 ', description: '', dueDate: '2028-02-29' };
  t.same(milestoneParts(whole), whole);
  for (const dueDate of ['', null]) t.same(milestoneParts({ dueDate }), { dueDate: null });
  t.same(milestoneParts({}), {});
  for (const title of ['', ' ', '\n\t'])
    t.throws(() => milestoneParts({ title }), refusal('validation_failed', /"title"/), JSON.stringify(title));
  for (const dueDate of ['2027-02-29', '2026-00-10', '26-01-01', '0000-12-31', '2026-01-01 ', 'today'])
    t.throws(() => milestoneParts({ dueDate }), refusal('validation_failed', /"due_date"/), dueDate);
});

void t.test('closing sets a time, which is kept until the milestone is reopened', async (t) => {
  const at = new Date('2026-01-01T00:00:00Z');
  const milestone = (closedAt: Date | null) => ({ closedAt }) as Milestone;
  t.same(inState('closed', milestone(null), later), { state: 'closed', closedAt: later });
  t.same(inState('closed', milestone(at), later), { state: 'closed', closedAt: at });
  t.same(inState('open', milestone(at), later), { state: 'open', closedAt: null });
});

void t.test('each change emits one event of its repository; an update without a change emits none', async (t) => {
  const { milestones, told, close } = await world();
  t.teardown(close);
  const { id } = await milestones.create(one, { title: '1.0' });
  const payload = { repository_id: 'one', id };
  t.same(await told(), [['milestone.created', 'repository:one', payload]]);
  await milestones.update(one, { id });
  await milestones.update(one, { id, title: '1.0' });
  await t.rejects(milestones.update(two, { id, title: 'x' }), refusal('not_found'));
  await t.rejects(milestones.update(one, { id, title: ' ' }), refusal('validation_failed'));
  await t.rejects(milestones.delete(two, { id }), refusal('not_found'));
  t.same(await told(), []);
  const closed = await milestones.update(granted('one', { now: later }), { id, state: 'closed' });
  t.match(closed, { state: 'closed', closedAt: later });
  await milestones.delete(one, { id });
  t.same(await told(), [
    ['milestone.updated', 'repository:one', payload],
    ['milestone.deleted', 'repository:one', payload],
  ]);
});

void t.test('issues are counted by all counters, once for a whole list', async (t) => {
  const asked: unknown[] = [];
  const counter = (counts: readonly (readonly [title: number, open: number, closed: number])[]) => ({
    counts: async (repositoryId: string, ids: readonly string[]) => {
      asked.push([repositoryId, ids.length]);
      return new Map(counts.map(([index, open, closed]) => [made[index]?.id ?? '', { open, closed }]));
    },
  });
  const made: { readonly id: string }[] = [];
  const { milestones, close } = await world([
    counter([
      [0, 1, 2],
      [1, 3, 0],
    ]),
    counter([[0, 10, 20]]),
  ]);
  t.teardown(close);
  t.same(await milestones.list(one, {}), []);
  t.same(asked, [], 'an empty list calls no counter');
  for (const title of ['a', 'b', 'c']) made.push(await milestones.create(one, { title }));
  asked.length = 0;
  t.match(await milestones.list(one, {}), [
    { title: 'a', openIssues: 11, closedIssues: 22 },
    { title: 'b', openIssues: 3, closedIssues: 0 },
    { title: 'c', openIssues: 0, closedIssues: 0 },
  ]);
  t.same(asked, [
    ['one', 3],
    ['one', 3],
  ]);
  t.match(await milestones.fetch(one, { id: made[0]?.id ?? '' }), { openIssues: 11, closedIssues: 22 });
});

void t.test('the port returns batches and holds milestones, of one repository', async (t) => {
  const { milestones, planning, unitOfWork, close } = await world();
  t.teardown(close);
  const [mine, other] = [
    await milestones.create(one, { title: 'mine' }),
    await milestones.create(two, { title: 'other' }),
  ];
  const found = await planning.milestones('one', [mine.id, other.id, 'nothing']);
  t.same([...found.keys()], [mine.id]);
  t.match(found.get(mine.id), { title: 'mine', dueDate: null, state: 'open' });
  t.match(await unitOfWork.run(() => planning.hold('one', mine.id)), { id: mine.id });
  for (const id of [other.id, 'nothing'])
    await t.rejects(
      unitOfWork.run(() => planning.hold('one', id)),
      refusal('validation_failed', new RegExp(`milestone_id.*${id}`)),
    );
});

void t.test('a repository has a maximum number of milestones', async (t) => {
  const { milestones, close } = await world();
  t.teardown(close);
  for (let made = 0; made < maxMilestones; made++) await milestones.create(one, { title: 'one of many' });
  await t.rejects(milestones.create(one, { title: 'one more' }), refusal('unprocessable'));
  t.equal((await milestones.create(two, { title: 'x' })).title, 'x', 'each repository has its own maximum');
});

void t.test('a change committed before the database fails is not reported as rejected', async (t) => {
  const { milestones, planning, storage, close } = await world([
    { counts: () => Promise.reject(new Unavailable('It is away')) },
  ]);
  t.teardown(close);
  storage.leaveAfter(1);
  const { id, ...made } = await milestones.create(one, { title: '1.0' });
  t.match(made, { title: '1.0', openIssues: 0, closedIssues: 0 }, 'the issues of a new milestone need no count');
  storage.comeBack();
  await t.rejects(milestones.update(one, { id, title: '2.0' }), {
    kind: 'unavailable',
    message: /^The change was made/,
    detail: 'Look at the milestone "2.0" before you try again: It is away',
  });
  t.match(await storage.unitOfWork.run(() => planning.hold('one', id)), { title: '2.0' });
});
