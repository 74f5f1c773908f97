// Comments, description history, links and watchers on in-memory stores: rules and events.
import t from 'tap';
import { commentBody, issueBounds } from '#core/issues/index';
import { blockersOf, checkLink, type IssueLink, type LinkType } from '#core/issues/model/link';
import { alice, bob, carol, refusal, root, world } from './world.ts';

const page = { page: 1, perPage: 25 };
const absent = '00000000-0000-4000-8000-0000000000ff';
type World = Awaited<ReturnType<typeof world>>;

/** The events about issues whose type matches `prefix`, with the payload members besides the issue. */
async function told(forge: World, prefix: RegExp) {
  return (await forge.events())
    .filter(({ type }) => prefix.test(type))
    .map(({ type, actorId, payload }) => {
      const { repository_id: _, issue_id: __, number, ...more } = payload as Record<string, unknown>;
      return { event: type, actorId, number, ...more };
    });
}

void t.test('a blank comment is rejected', (t) => {
  t.equal(commentBody(' a\n'), ' a\n', 'kept unchanged');
  for (const blank of ['', ' ', '\n\t'])
    t.throws(() => commentBody(blank), refusal('validation_failed', /"body"/), JSON.stringify(blank));
  t.end();
});

void t.test('comments: readers create, authors update, authors and instance administrators delete', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { comments } = forge.useCases;
  const issue = await forge.open();
  const number = String(issue.number);
  const add = async (caller = bob, body = 'First', now = new Date()) =>
    comments.create(await forge.as(caller, forge.code, now), { number, body });
  const list = async () => comments.list(await forge.reading(carol), { number: 'ABC-1', page });
  const count = async () => (await forge.useCases.fetch(await forge.reading(carol), { number })).commentsCount;

  const first = await add(bob, 'First', new Date(2_000));
  t.match(first, { issueId: issue.id, authorId: bob.id, author: { username: 'bob' }, body: 'First' });
  t.same([first.createdAt, first.updatedAt], [new Date(2_000), new Date(2_000)]);
  const earlier = await add(alice, 'Earlier', new Date(1_000));
  t.same(await list(), [earlier, first], 'the oldest first');
  t.equal(await count(), 2);

  const change = async (caller = bob, body = 'Changed', id = first.id, now = new Date(3_000)) =>
    comments.update(await forge.as(caller, forge.code, now), { number, id, body });
  for (const other of [alice, root]) await t.rejects(change(other), refusal('forbidden'), other.username);
  t.same(await change(bob, 'First'), first, 'the same text changes nothing');
  t.same(await change(), { ...first, body: 'Changed', updatedAt: new Date(3_000) });
  await t.rejects(change(bob, ' '), refusal('validation_failed', /"body"/));
  await t.rejects(change(bob, 'x', absent), refusal('not_found'));

  const remove = async (caller = bob, id = first.id) => comments.delete(await forge.as(caller), { number, id });
  for (const other of [alice, carol]) await t.rejects(remove(other), refusal('forbidden'), other.username);
  await remove();
  await t.rejects(remove(), refusal('not_found'));
  await remove(root, earlier.id);
  t.same(await list(), []);
  t.equal(await count(), 0);
  await t.rejects(add(bob, ''), refusal('validation_failed', /"body"/));
  await t.rejects(
    forge.as(bob).then((granted) => comments.create(granted, { number: '9', body: 'x' })),
    refusal('not_found'),
  );
  t.same(await told(forge, /^issue_comment\./), [
    { event: 'issue_comment.created', actorId: bob.id, number: 1, comment_id: first.id },
    { event: 'issue_comment.created', actorId: alice.id, number: 1, comment_id: earlier.id },
    { event: 'issue_comment.updated', actorId: bob.id, number: 1, comment_id: first.id },
    { event: 'issue_comment.deleted', actorId: bob.id, number: 1, comment_id: first.id },
    { event: 'issue_comment.deleted', actorId: root.id, number: 1, comment_id: earlier.id },
  ]);
});

void t.test('a comment is found only through its own issue', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { comments } = forge.useCases;
  await forge.open();
  await forge.open();
  const granted = await forge.as(bob);
  const { id } = await comments.create(granted, { number: '1', body: 'x' });
  await t.rejects(comments.update(granted, { number: '2', id, body: 'y' }), refusal('not_found'));
  await t.rejects(comments.delete(granted, { number: '2', id }), refusal('not_found'));
  const other = await forge.as(alice, await forge.add('other'));
  await t.rejects(comments.delete(other, { number: '1', id }), refusal('not_found'));
});

void t.test('on a locked issue only issue.write may comment, and comments can be deleted', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { comments } = forge.useCases;
  // An issue of bob, who has no issue.write.
  await forge.open({}, bob);
  const { id } = await comments.create(await forge.as(bob), { number: '1', body: 'Before' });
  const lock = async (locked: boolean, caller = alice) =>
    forge.useCases.update(await forge.as(caller), { number: '1', locked });
  await t.rejects(lock(true, bob), refusal('forbidden', /issue\.write/), 'also the author');
  await lock(true);
  const create = async (caller = bob) => comments.create(await forge.as(caller), { number: '1', body: 'After' });
  const change = async () => comments.update(await forge.as(bob), { number: '1', id, body: 'After' });
  for (const refused of [create, change]) await t.rejects(refused(), refusal('forbidden', /issue\.write/));
  t.match(await create(alice), { body: 'After' }, 'the owner');
  await forge.collaborators.put(forge.code.id, carol.id, { role: 'triage', permissions: [] }, new Date());
  t.match(await create(carol), { body: 'After' }, 'triage');
  await comments.delete(await forge.as(bob), { number: '1', id });
  await lock(false);
  t.match(await create(), { body: 'After' });
});

void t.test('each change of a description adds an entry, other changes do not', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { descriptionHistory } = forge.useCases;
  await forge.open({ description: 'one' }, bob);
  const change = async (command: object, caller = bob, now = new Date()) =>
    forge.useCases.update(await forge.as(caller, forge.code, now), { ...command, number: '1' });
  const list = async () => descriptionHistory.list(await forge.reading(carol), { number: '1', page });
  await change({ title: 'Other' });
  await change({ description: 'one' });
  t.same(await list(), []);
  await change({ description: 'two', title: 'Both' }, bob, new Date(1_000));
  await change({ description: '' }, alice, new Date(2_000));
  const entries = await list();
  t.match(entries, [
    { bodyBefore: 'two', bodyAfter: '', editedBy: alice.id, editor: { username: 'alice' }, editedAt: new Date(2_000) },
    { bodyBefore: 'one', bodyAfter: 'two', editedBy: bob.id, editor: { username: 'bob' }, editedAt: new Date(1_000) },
  ]);
  await t.rejects(change({ description: 'three', componentIds: [absent] }), refusal('validation_failed'));
  t.same(await list(), entries, 'a rejected change adds none');

  const [id, admin] = [entries[0]?.id ?? '', await forge.granted(alice, 'repo.admin')];
  const remove = (number: string, which = id) => descriptionHistory.delete(admin, { number, id: which });
  await forge.open();
  await t.rejects(remove('2'), refusal('not_found'), 'of another issue');
  await t.rejects(remove('1', absent), refusal('not_found'));
  forge.auditing.fails = true;
  await t.rejects(remove('1'), /audit/);
  t.same(await list(), entries, 'without its audit entry nothing is deleted');
  forge.auditing.fails = false;
  await remove('1');
  t.same(await list(), entries.slice(1));
  const type = 'issue.description_edit_deleted';
  t.same(await told(forge, /description_edit/), [{ event: type, actorId: alice.id, number: 1, edit_id: id }]);
  t.match(forge.audited, [
    {
      action: type,
      actorId: alice.id,
      resource: `issue:${entries[0]?.issueId}`,
      details: { number: 1, edit_id: id, edited_by: alice.id, edited_at: '1970-01-01T00:00:02.000Z' },
    },
  ]);
});

void t.test('links are rejected to the issue itself, twice, and beyond the maximum', (t) => {
  const link = (sourceId: string, type: LinkType, targetId: string) => ({ sourceId, type, targetId });
  const check = (wanted: ReturnType<typeof link>, ...its: readonly ReturnType<typeof link>[]) =>
    checkLink(wanted, { source: its, target: [] });
  for (const type of ['blocks', 'relates_to', 'duplicates'] as const) {
    t.throws(() => check(link('a', type, 'a')), refusal('unprocessable'), `${type}: itself`);
    t.throws(() => check(link('a', type, 'b'), link('a', type, 'b')), refusal('conflict'), `${type}: twice`);
    t.doesNotThrow(() => check(link('a', type, 'b'), link('a', type, 'c')), `${type}: another issue`);
  }
  t.doesNotThrow(() => check(link('a', 'blocks', 'b'), link('a', 'relates_to', 'b')), 'another type');
  t.throws(() => check(link('a', 'relates_to', 'b'), link('b', 'relates_to', 'a')), refusal('conflict'), 'mutual');
  t.doesNotThrow(() => check(link('a', 'duplicates', 'b'), link('b', 'duplicates', 'a')), 'not mutual');
  const full = Array.from({ length: issueBounds.links }, (_, index) => link('x', 'blocks', `${index}`));
  t.doesNotThrow(() => checkLink(link('a', 'blocks', 'b'), { source: full.slice(1), target: full.slice(1) }));
  for (const [source, target] of [
    [full, []],
    [[], full],
  ] as const)
    t.throws(() => checkLink(link('a', 'blocks', 'b'), { source, target }), refusal('unprocessable', /has as many/));
  t.end();
});

void t.test('the blockers of an issue are the sources of its incoming blocks links', (t) => {
  const issue = (id: string) => ({ id, number: 1, title: id, state: 'open' as const });
  const link = (source: string, type: LinkType, target: string) => ({
    ...({ id: '', sourceId: source, targetId: target, type, createdAt: new Date(0) } satisfies IssueLink),
    source: issue(source),
    target: issue(target),
  });
  const links = [link('b', 'blocks', 'a'), link('a', 'blocks', 'c'), link('d', 'relates_to', 'a')];
  t.same(blockersOf('a', links), [issue('b')]);
  t.end();
});

void t.test('linking: from one issue to another of the repository, without a cycle of blocking', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { links } = forge.useCases;
  for (let count = 0; count < 4; count++) await forge.open();
  const granted = await forge.granted(alice, 'issue.write');
  const create = (number: number, type: LinkType, targetNumber: number) =>
    links.create(granted, { number: String(number), type, targetNumber });
  const fetch = async (number: number) => forge.useCases.fetch(await forge.reading(carol), { number: String(number) });

  const first = await create(1, 'blocks', 2);
  t.match(first, { type: 'blocks', source: { number: 1 }, target: { number: 2, state: 'open', title: 'An issue' } });
  await create(2, 'blocks', 3);
  for (const [from, to] of [
    [2, 1],
    [3, 1],
    [3, 2],
  ] as const)
    await t.rejects(create(from, 'blocks', to), refusal('unprocessable', /blocks this one/), `${from} blocks ${to}`);
  await t.rejects(create(1, 'blocks', 1), refusal('unprocessable'));
  await t.rejects(create(1, 'blocks', 2), refusal('conflict'));
  await t.rejects(create(1, 'blocks', 99), refusal('validation_failed', /"target_number"/));
  await t.rejects(create(99, 'blocks', 1), refusal('not_found'));
  const other = await forge.add('other');
  await forge.useCases.create(await forge.as(alice, other), { title: 'x', typeId: (await fetch(1)).typeId });
  await t.rejects(
    links.create(await forge.granted(alice, 'issue.write', other), { number: '1', type: 'blocks', targetNumber: 2 }),
    refusal('validation_failed', /"target_number"/),
    'of another repository',
  );
  const back = await create(3, 'relates_to', 1);
  await create(1, 'blocks', 3);
  t.match(await fetch(3), { links: 3, blockedBy: [{ number: 2 }, { number: 1 }] });
  t.match(await fetch(1), { links: 3, blockedBy: [] });
  t.same(
    (await links.list(await forge.reading(carol), { number: '1' })).map(({ id }) => id).slice(0, 2),
    [first.id, back.id],
    'from both ends',
  );

  await t.rejects(links.delete(granted, { number: '4', id: first.id }), refusal('not_found'), 'of another issue');
  await links.delete(granted, { number: '2', id: first.id });
  await t.rejects(links.delete(granted, { number: '2', id: first.id }), refusal('not_found'));
  t.match(await fetch(2), { links: 1, blockedBy: [] });
  await forge.useCases.delete(await forge.owning(alice), { number: '2' });
  t.match(await fetch(3), { links: 2, blockedBy: [{ number: 1 }] }, 'links are deleted with an issue');
  const ends = { source_id: first.sourceId, target_id: first.targetId };
  t.same(
    (await told(forge, /^issue\.(un)?linked$/)).filter((one) => 'link_id' in one && one.link_id === first.id),
    [
      { event: 'issue.linked', type: 'blocks', actorId: alice.id, number: 1, link_id: first.id, ...ends },
      { event: 'issue.unlinked', type: 'blocks', actorId: alice.id, number: 2, link_id: first.id, ...ends },
    ],
  );
});

void t.test('watching: users watch for themselves, and repetitions have no effect', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { watch, unwatch, fetch } = forge.useCases;
  await forge.open();
  const seen = async (caller = bob) => {
    const { watchers, watching } = await fetch(await forge.reading(caller), { number: '1' });
    return [watchers, watching];
  };
  const one = { number: 'ABC-1' };
  t.same(await seen(), [1, false]);
  for (let round = 0; round < 2; round++) await watch(await forge.as(bob), one);
  t.same(await seen(), [2, true]);
  for (let round = 0; round < 2; round++) await unwatch(await forge.as(alice), one);
  t.same(await seen(alice), [1, false], 'the author may stop too');
  for (const act of [watch, unwatch])
    await t.rejects(
      forge.as(bob).then((granted) => act(granted, { number: '2' })),
      refusal('not_found'),
    );
  t.same(await told(forge, /watched$/), [
    { event: 'issue.watched', actorId: bob.id, number: 1, user_id: bob.id },
    { event: 'issue.unwatched', actorId: alice.id, number: 1, user_id: alice.id },
  ]);
});

void t.test("comments and description changes count as references to their author's account", async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({}, alice);
  await forge.useCases.comments.create(await forge.as(bob), { number: '1', body: 'x' });
  await forge.useCases.update(await forge.as(root), { number: '1', description: 'x' });
  const counts = await forge.useCases.userReferences.counts([alice, bob, carol, root].map(({ id }) => id));
  t.same(
    [alice, bob, carol, root].map(({ id }) => counts.get(id) ?? 0),
    [1, 1, 0, 1],
  );
});

void t.test('a comment is returned from its unit of work, without a later database read', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  const { comments } = forge.useCases;
  await forge.open();
  const granted = await forge.as(bob);
  const saying = async (say: () => Promise<object>) => {
    forge.storage.leaveAfter(1);
    const said = await say();
    forge.storage.comeBack();
    return said;
  };
  const author = { id: bob.id, username: 'bob' };
  t.match(await saying(() => comments.create(granted, { number: '1', body: 'First' })), { body: 'First', author });
  const [first] = await comments.list(await forge.reading(bob), { number: '1', page: { page: 1, perPage: 100 } });
  const which = { number: '1', id: first?.id ?? '' };
  for (const body of ['Second', 'Second'])
    t.match(await saying(() => comments.update(granted, { ...which, body })), { body, author });
});
