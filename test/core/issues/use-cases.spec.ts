// Creating, changing, closing, moving and deleting issues on in-memory stores.
import t from 'tap';
import { anonymous } from '#core/kernel/caller';
import { alice, bob, carol, refusal, root, types, world } from './world.ts';

const page = { page: 1, perPage: 25 };

void t.test('creating: defaults, the number, watchers, and one event', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const issue = await forge.open({ assigneeIds: [bob.id, bob.id], labelIds: ['Later-label', 'Bug-label'] }, carol);
  t.match(issue, {
    number: 1,
    authorId: carol.id,
    author: { username: 'carol' },
    description: '',
    state: 'open',
    status: 'queued',
    priority: 'none',
    locked: false,
    closedAt: null,
    dueDate: null,
    storyPoints: null,
    assumptions: null,
    type: { name: 'task' },
    parent: null,
    milestone: null,
    watchers: 2,
    watching: true,
  });
  t.same(
    issue.assignees.map(({ username }) => username),
    ['bob'],
    'each once',
  );
  t.same(
    issue.labels.map(({ name }) => name),
    ['Bug', 'Later'],
    'by name',
  );
  t.equal((await forge.open()).number, 2);
  t.match(
    (await forge.events()).map(({ type, aggregate, actorId, payload }) => ({ type, aggregate, actorId, payload }))[0],
    {
      type: 'issue.created',
      aggregate: `issue:${issue.id}`,
      actorId: carol.id,
      payload: { repository_id: forge.code.id, issue_id: issue.id, number: 1 },
    },
  );
});

void t.test('the number of an issue that could not be created is reused; that of a deleted one is not', async (t) => {
  let fails = false;
  const forge = await world({ failInsert: () => fails });
  t.teardown(() => forge.close());
  t.equal((await forge.open()).number, 1);
  fails = true;
  await t.rejects(forge.open(), /cannot be written/);
  fails = false;
  t.equal((await forge.open()).number, 2);
  await forge.useCases.delete(await forge.owning(alice), { number: '2' });
  t.equal((await forge.open()).number, 3);
  t.equal((await forge.events()).filter(({ type }) => type === 'issue.created').length, 3);
});

void t.test('referenced records must exist, and assignees must be able to read', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const refused = (command: object, detail: RegExp) =>
    t.rejects(forge.open(command), refusal('validation_failed', detail), String(detail));
  await refused({ typeId: 'nothing' }, /"issue_type_id"/);
  await refused({ assigneeIds: ['nobody'] }, /"assignee_ids": "nobody"/);
  await refused({ milestoneId: 'second' }, /"milestone_id"/);
  await refused({ labelIds: ['other'] }, /"label_ids"/);
  await refused({ parentId: 'nothing' }, /"parent_id"/);

  const hidden = await forge.add('hidden', { visibility: 'private' });
  const open = async (assigneeIds: readonly string[]) =>
    forge.useCases.create(await forge.as(alice, hidden), { title: 'x', typeId: types.bug, assigneeIds });
  await t.rejects(open([alice.id, bob.id]), refusal('validation_failed', /^"assignee_ids": "bob-id"$/));
  await forge.collaborators.put(hidden.id, bob.id, { role: 'read', permissions: [] }, new Date());
  t.equal((await open([alice.id, bob.id, root.id])).assignees.length, 3, 'owner, collaborator, administrator');
  const other = await open([]);
  await refused({ parentId: other.id }, /"parent_id"/);
  t.equal((await open([])).number, 3, 'rejections took no number');
});

void t.test('without planning an issue has no labels and no milestone', async (t) => {
  const forge = await world({ planning: false });
  t.teardown(() => forge.close());
  t.match(await forge.open({ labelIds: [], inlineLabels: [], milestoneId: null }), { labels: [], milestone: null });
  for (const [member, command] of [
    ['label_ids', { labelIds: ['x'] }],
    ['inline_labels', { inlineLabels: [{ name: 'x', color: 'ff0000' }] }],
    ['milestone_id', { milestoneId: 'first' }],
  ] as const)
    await t.rejects(forge.open(command), refusal('validation_failed', new RegExp(`"${member}"`)));
  const reading = await forge.reading(anonymous);
  for (const filter of [{ label: 'Bug' }, { milestoneId: 'first' }])
    t.same(await forge.useCases.list(reading, { ...filter, page }), { items: [], total: 0, ...page });
  t.equal((await forge.useCases.list(reading, { page })).total, 1);
});

void t.test('updating: by the author and with issue.write; absent members stay, null clears', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ storyPoints: 3, inputTokens: 5, milestoneId: 'first', dueDate: '2026-01-01' }, bob);
  const update = async (command: object, caller = bob) =>
    forge.useCases.update(await forge.as(caller), { ...command, number: 'ABC-1' });
  await t.rejects(update({ title: 'x' }, carol), refusal('forbidden', /issue\.write/));
  await forge.collaborators.put(forge.code.id, carol.id, { role: 'triage', permissions: [] }, new Date());
  t.equal((await update({ title: 'By triage' }, carol)).title, 'By triage');

  const changed = await update({ storyPoints: null, milestoneId: null, outputTokens: 0, assumptions: '' });
  t.match(changed, { storyPoints: null, inputTokens: 5, outputTokens: 0, milestone: null, dueDate: '2026-01-01' });
  const again = await update({ storyPoints: null, outputTokens: 0, labelIds: [], assigneeIds: [] });
  t.same(again.updatedAt, changed.updatedAt, 'nothing changed');
  t.match(await update({ labelIds: ['Bug-label'], assigneeIds: [carol.id] }), {
    labels: [{ name: 'Bug' }],
    assignees: [{ username: 'carol' }],
    watchers: 2,
  });
  t.match(await update({ labelIds: [] }), { labels: [], assignees: [{ username: 'carol' }], watchers: 2 });
  t.same(
    (await forge.events()).flatMap(({ type, payload }) =>
      type === 'issue.updated' ? [(Reflect.get(payload, 'changed') as string[]).toSorted()] : [],
    ),
    [['title'], ['milestone_id', 'output_tokens', 'story_points'], ['assignee_ids', 'label_ids'], ['label_ids']],
  );
  await t.rejects(update({ labelIds: ['other'] }), refusal('validation_failed'));
  await t.rejects(
    forge.useCases.update(await forge.as(bob), { number: '2', title: 'x' }),
    refusal('not_found'),
    'another number',
  );
});

void t.test('closing and reopening emit one event each', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({}, bob);
  const one = { number: '1' };
  await t.rejects(forge.useCases.close(await forge.as(carol), one), refusal('forbidden'));
  const at = new Date('2026-05-01T00:00:00Z');
  for (let round = 0; round < 2; round++) await forge.useCases.close(await forge.as(bob, forge.code, at), one);
  t.match(await forge.useCases.fetch(await forge.reading(anonymous), one), { state: 'closed', closedAt: at });
  for (let round = 0; round < 2; round++) await forge.useCases.reopen(await forge.as(alice), one);
  t.match(await forge.useCases.fetch(await forge.reading(anonymous), one), { state: 'open', closedAt: null });
  t.same(
    (await forge.events()).map(({ type }) => type),
    ['issue.created', 'issue.closed', 'issue.reopened'],
  );
});

void t.test('the parent: allowed callers, and the rules of the hierarchy', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ typeId: types.epic }, bob);
  await forge.open({ typeId: types.support }, bob);
  await forge.open({ typeId: types.bug }, bob);
  const put = async (number: number, parentNumber: number, caller = bob) =>
    forge.useCases.setParent(await forge.as(caller), { number: String(number), parentNumber });
  const parentOf = async (number: number) =>
    (await forge.useCases.fetch(await forge.reading(anonymous), { number: String(number) })).parent?.number;
  await forge.collaborators.put(forge.code.id, carol.id, { role: 'admin', permissions: [] }, new Date());
  await t.rejects(put(3, 1, carol), refusal('forbidden'), 'issue.write is not enough');
  await put(3, 1, root);
  t.equal(await parentOf(3), 1);
  await t.rejects(put(1, 2), refusal('unprocessable'), 'an epic under support');
  await t.rejects(put(1, 1), refusal('unprocessable'), 'itself');
  await t.rejects(put(1, 3), refusal('unprocessable'), 'a descendant');
  await t.rejects(put(1, 99), refusal('not_found'));
  await put(3, 2);
  await put(3, 2);
  t.equal(await parentOf(3), 2, 'moved');
  await t.rejects(
    forge.useCases.update(await forge.as(bob), { number: '3', typeId: types.story }),
    refusal('validation_failed', /support/),
    'a type that its parent does not allow',
  );
  await put(2, 1);
  await t.rejects(
    forge.useCases.create(await forge.as(bob), {
      title: 'x',
      typeId: types.epic,
      parentId: (await forge.store.byNumber(forge.code.id, 2))?.id,
    }),
    refusal('validation_failed', /"parent_id"/),
    'a bad parent of a new one',
  );
  await forge.useCases.clearParent(await forge.as(bob), { number: '3' });
  t.equal(await parentOf(3), undefined);
  t.same(
    (await forge.useCases.children(await forge.reading(anonymous), { number: '1', page })).map(({ number }) => number),
    [2],
  );
  t.same(
    (await forge.events()).flatMap(({ type, payload }) =>
      type === 'issue.parent_changed' ? [Reflect.get(payload, 'number')] : [],
    ),
    [3, 3, 2, 3],
    'one event for each change',
  );
  await forge.useCases.delete(await forge.owning(alice), { number: '1' });
  t.equal(await parentOf(2), undefined, 'a child whose parent is deleted is kept');
});

void t.test('six levels can be built neither from the top nor from below', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  for (let number = 1; number <= 6; number++) await forge.open();
  const put = async (number: number, parentNumber: number) =>
    forge.useCases.setParent(await forge.as(alice), { number: String(number), parentNumber });
  for (let number = 2; number <= 5; number++) await put(number, number - 1);
  await t.rejects(put(6, 5), refusal('unprocessable', /5 levels/));
  await t.rejects(put(1, 6), refusal('unprocessable', /5 levels/));
  await put(6, 4);
});

void t.test('counts for other areas: open issues, authors, milestones', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ milestoneId: 'first' }, bob);
  await forge.open({ milestoneId: 'first' }, bob);
  await forge.useCases.close(await forge.as(bob), { number: '2' });
  t.same((await forge.useCases.repositoryCounters.counts([forge.code.id], anonymous)).get(forge.code.id), {
    openIssues: 1,
  });
  t.equal((await forge.useCases.userReferences.counts([bob.id])).get(bob.id), 2);
  t.same((await forge.useCases.milestoneCounts.counts(forge.code.id, ['first'])).get('first'), { open: 1, closed: 1 });
  await forge.useCases.dropMilestone('first');
  t.match(await forge.useCases.fetch(await forge.reading(anonymous), { number: '1' }), { milestone: null });
});
