// Contract checks for the ports of repositories: Repositories, RepositoryCounters and Pushes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Granted } from '#core/kernel/access/access';
import { anonymous, type Caller } from '#core/kernel/caller';
import {
  noCounts,
  zeroOid,
  type Pushes,
  type Repositories,
  type Repository,
  type RepositoryCounters,
  type RepositoryCounts,
} from '#core/repositories/index';
import type { Check } from '../checks.ts';

export interface RepositoriesUnderTest {
  readonly repositories: Repositories;
  /** An existing repository. */
  readonly known: Pick<Repository, 'id' | 'ownerId' | 'owner' | 'name' | 'visibility'>;
  /** The ids of an administrator of the instance, and of a user without a role in the repository. */
  readonly administrator: string;
  readonly stranger: string;
}

const userOf = (id: string, isAdmin = false): Caller => ({
  kind: 'user',
  id,
  username: 'somebody',
  isAdmin,
  credential: { kind: 'session', id: randomUUID(), scopes: 'all', via: 'bearer' },
});

export const repositoriesChecks: readonly Check<RepositoriesUnderTest>[] = [
  {
    name: 'a repository is found by its id',
    async run({ repositories, known }) {
      const found = await repositories.byId(known.id);
      assert.deepEqual({ ...found, ...known }, found);
      assert.ok(found?.createdAt instanceof Date && found.updatedAt instanceof Date);
    },
  },
  {
    name: 'an unknown id is undefined',
    async run({ repositories }) {
      assert.equal(await repositories.byId(randomUUID()), undefined);
    },
  },
  {
    name: 'readers returns those of a batch who may read a repository: its owner and administrators of the instance',
    async run({ repositories, known, administrator, stranger }) {
      const asked = [stranger, known.ownerId, randomUUID(), administrator];
      assert.deepEqual(
        new Set(await repositories.readers(known.id, asked)),
        new Set([known.ownerId, administrator, ...(known.visibility === 'private' ? [] : [stranger])]),
      );
      assert.equal((await repositories.readers(known.id, [])).size, 0);
    },
  },
  {
    name: 'holders returns those of a batch who have a permission on it: its owner and administrators of the instance',
    async run({ repositories, known, administrator, stranger }) {
      const asked = [stranger, known.ownerId, randomUUID(), administrator];
      const holders = (permission: string) => repositories.holders(known.id, permission, asked);
      for (const permission of ['repo.write', 'repo.own'])
        assert.deepEqual(new Set(await holders(permission)), new Set([known.ownerId, administrator]), permission);
      assert.deepEqual(
        new Set(await holders('repo.read')),
        new Set(await repositories.readers(known.id, asked)),
        'everyone who may read has repo.read',
      );
      assert.equal((await repositories.holders(randomUUID(), 'repo.write', asked)).size, 0);
      assert.equal((await repositories.holders(known.id, 'repo.write', [])).size, 0);
    },
  },
  {
    name: 'readableIds returns the ids that a caller can read, and one more than the limit if there are more',
    async run({ repositories, known, administrator }) {
      const most = 1000;
      assert.ok((await repositories.readableIds(userOf(known.ownerId), most)).includes(known.id));
      assert.ok((await repositories.readableIds(userOf(administrator, true), most)).includes(known.id));
      assert.equal((await repositories.readableIds(anonymous, most)).includes(known.id), known.visibility === 'public');
      assert.ok((await repositories.readableIds(userOf(administrator, true), 0)).length <= 1);
    },
  },
  {
    name: 'lacking returns no repository to its owner, to administrators and to anonymous callers',
    async run({ repositories, known, administrator }) {
      for (const caller of [anonymous, userOf(known.ownerId), userOf(administrator, true)])
        assert.deepEqual(await repositories.lacking(caller, 'issue.read'), []);
    },
  },
  {
    name: 'named finds repositories by owner and name in any case, and leaves out unknown ones',
    async run({ repositories, known }) {
      const path = `${known.owner}/${known.name}`;
      const found = await repositories.named([path.toUpperCase(), `${path}-other`, 'nonsense', '']);
      assert.deepEqual(
        [...found].map(([key, { id }]) => [key, id]),
        [[path.toLowerCase(), known.id]],
      );
      assert.equal((await repositories.named([])).size, 0);
    },
  },
  {
    name: 'all lists the repositories by id, page by page',
    async run({ repositories, known }) {
      const ids: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await repositories.all(after, 2);
        ids.push(...page.map(({ id }) => id));
        after = page.at(-1)?.id;
        if (page.length < 2) break;
      }
      assert.ok(ids.includes(known.id));
      assert.deepEqual(ids, [...new Set(ids)].toSorted());
    },
  },
];

export interface RepositoryCountersUnderTest {
  readonly counters: RepositoryCounters;
  /** The id of a repository with known counts, and the caller. */
  readonly counted: { readonly id: string; readonly caller: Caller; readonly counts: Partial<RepositoryCounts> };
}

export const repositoryCountersChecks: readonly Check<RepositoryCountersUnderTest>[] = [
  {
    name: 'it fills its own members of the counts and no others',
    async run({ counters, counted: { id, caller, counts } }) {
      assert.deepEqual((await counters.counts([id], caller)).get(id), counts);
      for (const [name, value] of Object.entries(counts)) {
        assert.ok(name in noCounts, name);
        assert.equal(typeof value, typeof noCounts[name as keyof RepositoryCounts], name);
      }
    },
  },
  {
    name: 'a batch takes one call; a repository without counts may be omitted',
    async run({ counters, counted: { id, caller, counts } }) {
      const unknown = randomUUID();
      const all = await counters.counts([unknown, id], caller);
      assert.deepEqual(all.get(id), counts);
      for (const value of Object.values(all.get(unknown) ?? {})) assert.ok(value === 0 || value === false);
      assert.equal((await counters.counts([], caller)).size, 0);
    },
  },
  {
    name: 'an anonymous caller has starred and watches nothing',
    async run({ counters, counted: { id } }) {
      const { starred = false, watching = false } = (await counters.counts([id], anonymous)).get(id) ?? {};
      assert.deepEqual([starred, watching], [false, false]);
    },
  },
];

export interface PushesUnderTest {
  readonly pushes: Pushes;
  /** Permission to write to an empty repository. */
  readonly granted: Granted<Repository, 'repo.write'>;
  /** The current value of one of its refs. */
  ref(name: string): Promise<string | undefined>;
}

/** A commit without files, as git packs it with its tree. */
const pushed = '212013dd3e3f9e4d33c772221854a16cb03c761a';
const packOfPushed =
  'UEFDSwAAAAIAAAAClAl4nI3LUQrCMAyA4feeIu+CxJBmLYg4b5K0mQ6sG6OCx9+O4P/4wd83d2BLFGsRpmLilhUFPbJNqUqmlCZz54wc9NtfywZjVbhq1bv/tK1vP5el3eAyyEAUBRFOeBQObXPv/vcQHv6cP2EH1vIq2yB4nAMAAAAAAb1RZVw8czgcy/NLnqH5QC7SGTrV';

async function push({ pushes, granted }: PushesUnderTest, commands: readonly string[], pack = ''): Promise<string> {
  const lines = commands.map((command, index) => {
    const line = `${command}${index === 0 ? '\0 report-status' : ''}\n`;
    return (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0') + line;
  });
  const body = Buffer.concat([Buffer.from(`${lines.join('')}0000`), Buffer.from(pack, 'base64')]);
  const answer = await pushes.receive(granted, {
    protocol: undefined,
    body: (async function* () {
      yield body;
    })(),
    signal: new AbortController().signal,
  });
  const chunks = await Array.fromAsync(answer);
  return Buffer.concat(chunks).toString();
}

export const pushesChecks: readonly Check<PushesUnderTest>[] = [
  {
    name: 'a pushed ref exists when the answer reports ok, and no longer exists when it is deleted',
    async run(made) {
      const name = `refs/heads/contract-${randomUUID()}`;
      // The first branch of a repository may become the default branch, which cannot be deleted.
      const kept = `refs/heads/first-${randomUUID()}`;
      assert.match(await push(made, [`${zeroOid} ${pushed} ${kept}`], packOfPushed), /unpack ok[\s\S]*ok refs\/heads/);
      assert.match(await push(made, [`${zeroOid} ${pushed} ${name}`], packOfPushed), /unpack ok[\s\S]*ok refs\/heads/);
      assert.equal(await made.ref(name), pushed);
      assert.match(await push(made, [`${pushed} ${zeroOid} ${name}`]), /ok refs\/heads/);
      assert.equal((await made.ref(name)) ?? zeroOid, zeroOid);
    },
  },
  {
    name: 'a push with a wrong old value does not move the ref, and the client does not receive ok',
    async run(made) {
      const name = `refs/heads/contract-${randomUUID()}`;
      await push(made, [`${zeroOid} ${pushed} ${name}`], packOfPushed);
      const stale = '1'.repeat(40);
      const answer = await push(made, [`${stale} ${zeroOid} ${name}`]).catch((error: unknown) => String(error));
      assert.doesNotMatch(answer, /\d{4}ok refs/);
      assert.equal(await made.ref(name), pushed);
    },
  },
];
