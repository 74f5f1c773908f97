// Opening a request from a fork: what refuses it is checked before its commits are copied, and again afterwards.
import t, { type Test } from 'tap';
import { mostFromSource } from '#core/merges/requests/source-limit';
import { repositoryOf } from '../forge.ts';
import { alice, bench, head, type Bench } from './bench.ts';
import { fork, target } from './world.ts';

const from = { sourceRepositoryId: fork, authorId: alice.id } as const;
const wish = { source: 'alice:topic', targetBranch: 'main' };
const taken = { kind: 'conflict', message: /open already/ };

async function forge(t: Test): Promise<Bench> {
  const given = await bench({ ...from, state: 'closed' });
  t.teardown(() => given.storage.close());
  given.parts.heads.network = async () => [repositoryOf(fork)];
  return given;
}

void t.test('nothing is copied for a request that cannot be opened', async (t) => {
  const refused: readonly (readonly [
    string,
    (given: Bench) => Promise<unknown>,
    { readonly message: RegExp; readonly [member: string]: unknown },
  ])[] = [
    ['the pair is open', (given) => given.add(from), taken],
    [
      'too many are open',
      async (given) => {
        for (let count = 0; count < mostFromSource; count += 1) await given.add({ ...from, targetBranch: `t${count}` });
      },
      { code: 'quota_exceeded', message: /./ },
    ],
    [
      'an assignee cannot read the target',
      async (given) => {
        given.parts.repositories.readers = async () => new Set();
      },
      { kind: 'validation_failed', message: /./ },
    ],
  ];
  for (const [what, arrange, error] of refused) {
    const given = await forge(t);
    await arrange(given);
    await t.rejects(given.open({ ...wish, assigneeIds: [alice.id] }), error, what);
    t.equal(given.counts.copies, 0, what);
  }
});

void t.test('what changes while the commits are copied refuses the request', async (t) => {
  const given = await forge(t);
  given.hooks.whileCopying = async () => void (await given.add(from));
  await t.rejects(given.open(wish), taken);
  t.equal(given.counts.copies, 1);
  t.equal(await given.store.find(target, 3), undefined);
});

void t.test('a refusal is reported although the copied commits cannot be let go at once', async (t) => {
  const given = await forge(t);
  given.hooks.whileCopying = async () => void (await given.add(from));
  given.parts.heads.letGo = () => Promise.reject(new Error('the database does not answer'));
  await t.rejects(given.open(wish), taken);
  t.equal(given.warned.length, 1);
});

void t.test('a request from a fork is opened with its commits', async (t) => {
  const given = await forge(t);
  t.match(await given.open(wish), { state: 'open', headOid: head, sourceRepositoryId: fork });
  t.strictSame(given.brought, [head]);
});
