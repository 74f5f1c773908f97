// Answers about committed changes of merge requests when the database or git fails before they are read back.
import t from 'tap';
import { InsufficientStorage } from '#core/kernel/errors';
import { aboutMerge } from '#core/merges/model/events';
import { alice, bench, head, made, moved, type Bench } from './bench.ts';
import { bob, refusal, talkWorld } from './talk-world.ts';

const isMade = { kind: 'unavailable', message: /^The change was made/, detail: /Look at .*: The database does not/ };

/** The operation, the number of commits after which the database fails, and the stored request. */
const changes: readonly {
  readonly what: string;
  readonly commits: number;
  readonly before?: (forge: Bench) => Promise<void>;
  readonly act: (forge: Bench) => Promise<unknown>;
  readonly number?: number;
  readonly stands: object;
  readonly told?: { readonly kind: string; readonly message: RegExp };
}[] = [
  { what: 'opened', commits: 1, act: (forge) => forge.open(), number: 2, stands: { title: 'Another', state: 'open' } },
  { what: 'changed', commits: 1, act: (forge) => forge.update({ title: 'New' }), stands: { title: 'New' } },
  { what: 'closed', commits: 1, act: (forge) => forge.update({ state: 'closed' }), stands: { state: 'closed' } },
  {
    what: 'reopened',
    commits: 1,
    before: (forge) => forge.closed(),
    act: (forge) => forge.update({ state: 'open' }),
    stands: { state: 'open', headOid: head },
  },
  {
    what: 'reopened, and its head moved',
    commits: 2,
    before: (forge) => forge.closed(),
    act: (forge) => forge.update({ state: 'open' }),
    stands: { state: 'open', headOid: moved },
  },
  {
    what: 'merged, but not recorded',
    commits: 1,
    act: (forge) => forge.merge(),
    stands: { state: 'merged' },
    told: { kind: 'unavailable', message: /^The merge may have been made, or not/ },
  },
  { what: 'merged', commits: 2, act: (forge) => forge.merge(), stands: { state: 'merged', mergeCommit: made } },
];

void t.test('a change committed before the database fails is not reported as rejected', async (t) => {
  for (const { what, commits, before, act, number, stands, told = isMade } of changes)
    await t.test(what, async (t) => {
      const forge = await bench();
      t.teardown(() => forge.storage.close());
      await before?.(forge);
      forge.storage.leaveAfter(commits);
      await t.rejects(act(forge), told);
      t.match(await forge.request(number), stands);
    });
});

void t.test('a reopened request is returned although following its source fails, and follows it later', async (t) => {
  const forge = await bench();
  t.teardown(() => forge.storage.close());
  await forge.closed();
  const { keep } = forge.parts.heads;
  forge.parts.heads.keep = () => Promise.reject(new InsufficientStorage('The disk is full'));
  t.match(await forge.update({ state: 'open' }), { state: 'open', headOid: moved });
  t.match(forge.warned, [{ number: 1, err: { kind: 'insufficient_storage' } }]);
  t.equal(forge.kept.get(1), undefined);
  forge.parts.heads.keep = keep;
  const request = await forge.request();
  if (request === undefined) throw new Error('there is no request');
  const told = { id: 'event', type: 'merge.reopened', ...aboutMerge(request, alice.id), at: new Date() } as const;
  await forge.follow.opened(told, forge.signal);
  t.equal(forge.kept.get(1), moved);
});

void t.test('a merge is returned although its source branch cannot be deleted', async (t) => {
  const forge = await bench();
  t.teardown(() => forge.storage.close());
  forge.deletion.fails = true;
  t.match(await forge.merge(), { state: 'merged', mergeCommit: made });
});

void t.test('a committed comment is not reported as rejected while git is down; a deleted one is 404', async (t) => {
  const forge = await talkWorld();
  t.teardown(() => forge.close());
  const { comments, storage } = forge;
  const { number } = await forge.open();
  const writing = await forge.granted(bob, 'repo.write');
  const create = () => comments.create(writing, { number, body: 'First', filePath: 'a.txt' });
  storage.leaveAfter(1);
  await t.rejects(create(), isMade);
  storage.comeBack();
  const list = async () => comments.list(await forge.reading(bob), { number, page: { page: 1, perPage: 100 } });
  const [first] = await list();
  t.match(first, { body: 'First', filePath: 'a.txt' });
  const id = first?.id ?? '';
  const reading = await forge.granted(bob, 'repo.read');
  storage.leaveAfter(1);
  await t.rejects(comments.update(reading, { number, id, body: 'Second' }), isMade);
  storage.comeBack();
  t.match(await list(), [{ body: 'Second' }]);
  await comments.delete(reading, { number, id });
  await t.rejects(comments.update(reading, { number, id, body: 'Third' }), refusal('not_found'));
});
