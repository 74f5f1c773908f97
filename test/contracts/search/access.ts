// Contract checks of `SearchBackend`: every query finds only what its caller may read, now.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Reader } from '#core/repositories/index';
import { administrator, check, defining, document, issues, userOf, type Given } from './bench.ts';

const anonymous: Reader = { kind: 'anonymous' };

interface Answer {
  readonly total: number;
  readonly repositories: readonly string[];
}

/** The kinds of queries, each for `word`. */
const kinds = ['files', 'symbols', 'documents'] as const;
type Kind = (typeof kinds)[number];

async function ask(
  { files, symbols, documents, word }: Given,
  kind: Kind,
  reader: Reader,
  within: { readonly repositoryIds?: readonly string[] | undefined; readonly limit?: number },
): Promise<Answer> {
  const { total, hits } =
    kind === 'files'
      ? await files({ terms: [word], repositoryIds: undefined, ...within }, reader)
      : kind === 'symbols'
        ? await symbols({ name: word, repositoryIds: undefined, ...within }, reader)
        : await documents({ words: [word], repositoryIds: undefined, ...within }, reader);
  return { total, repositories: hits.map(({ repositoryId }) => repositoryId).toSorted() };
}

/** Fills repositories with one file, definition and document each, and waits until all are found. */
async function filled(given: Given, ids: readonly string[]): Promise<void> {
  const { word, write } = given;
  for (const repositoryId of ids) {
    await write({ files: [defining('a.ts', word)] }, { repositoryId });
    await write({ documents: [document('1', word)] }, { repositoryId, section: issues });
  }
  for (const kind of kinds)
    await given.becomesSet(async () => (await ask(given, kind, administrator, {})).repositories, ids, kind);
}

/** Asserts at once, without waiting, that every kind of query finds this in exactly these repositories. */
async function sees(
  given: Given,
  reader: Reader,
  ids: readonly string[],
  what: string,
  repositoryIds?: readonly string[],
): Promise<void> {
  for (const kind of kinds) {
    const expected = { total: ids.length, repositories: ids.toSorted() };
    assert.deepEqual(await ask(given, kind, reader, { repositoryIds }), expected, `${kind}: ${what}`);
    const { total } = await ask(given, kind, reader, { repositoryIds, limit: 1 });
    assert.equal(total, ids.length, `the total of ${kind} at a limit of 1: ${what}`);
  }
}

export const accessChecks = [
  check('hits and totals contain only what the caller may read, by visibility and role', async (given) => {
    const { world, owner } = given;
    const [open, inside, closed] = [
      await world.repository(owner, 'public'),
      await world.repository(owner, 'internal'),
      await world.repository(owner, 'private'),
    ];
    const all = [open, inside, closed];
    await filled(given, all);
    const [collaborator, stranger] = [await world.user(), await world.user()];
    await world.addReader(closed, collaborator);
    for (const [reader, who, ids] of [
      [anonymous, 'anonymous', [open]],
      [userOf(stranger), 'a stranger', [open, inside]],
      [userOf(collaborator), 'a collaborator', all],
      [userOf(owner), 'the owner', all],
      [administrator, 'an administrator', all],
    ] as const) {
      await sees(given, reader, ids, who);
      await sees(given, reader, ids, `${who}, within all`, all);
      for (const id of all) await sees(given, reader, ids.includes(id) ? [id] : [], `${who}, within one`, [id]);
    }
  }),

  check('a change of access counts in the next query', async (given) => {
    const { world, owner } = given;
    const id = await world.repository(owner, 'private');
    const guest = await world.user();
    await filled(given, [id]);
    const all = [anonymous, userOf(guest), userOf(owner), administrator];
    const seenBy = async (readers: readonly Reader[], what: string): Promise<void> => {
      for (const reader of all) await sees(given, reader, readers.includes(reader) ? [id] : [], what);
    };
    await seenBy(all.slice(2), 'private');
    await world.addReader(id, guest);
    await seenBy(all.slice(1), 'with a collaborator');
    await world.removeReader(id, guest);
    await seenBy(all.slice(2), 'without the collaborator');
    await world.changeVisibility(id, 'internal');
    await seenBy(all.slice(1), 'internal');
    await world.changeVisibility(id, 'public');
    await seenBy(all, 'public');
    await world.changeVisibility(id, 'private');
    await seenBy(all.slice(2), 'private again');
  }),

  check('nothing of a repository that no longer exists is found by any caller', async (given) => {
    const { world, owner } = given;
    const [gone, left] = [await world.repository(owner, 'public'), await world.repository(owner, 'public')];
    await filled(given, [gone, left]);
    await world.removeRepository(gone);
    for (const reader of [anonymous, userOf(await world.user()), userOf(owner), administrator]) {
      await sees(given, reader, [left], reader.kind);
      await sees(given, reader, [], reader.kind, [gone]);
    }
    // Its sources may be removed as if it existed.
    for (const section of ['code', issues]) await (await given.index()).remove({ section, repositoryId: gone });
    await sees(given, administrator, [left], 'after the removal');
  }),

  check('repositoryIds restricts a query; unknown and unreadable ids have no effect', async (given) => {
    const { world, owner, repository } = given;
    const others = [await world.repository(await world.user(), 'private'), await world.repository(owner, 'public')];
    const [foreign, open] = others as [string, string];
    await filled(given, [repository, foreign, open]);
    const reader = userOf(owner);
    const unknown = Array.from({ length: 1000 }, () => randomUUID());
    await sees(given, reader, [repository, open], 'absent');
    await sees(given, reader, [], 'empty', []);
    await sees(given, administrator, [], 'empty', []);
    await sees(given, reader, [], 'unknown', unknown.slice(0, 1));
    await sees(given, reader, [], 'unreadable', [foreign]);
    await sees(given, reader, [open], 'one', [open]);
    await sees(given, reader, [open], 'twice', [open, open]);
    await sees(given, reader, [open, repository], 'several', [open, foreign, repository]);
    await sees(given, reader, [repository], 'among many', [...unknown, repository, foreign]);
  }),

  check('files with the same oid in another repository are found only there', async (given) => {
    const { world, owner, word, write, files } = given;
    const [open, closed] = [await world.repository(owner, 'public'), await world.repository(owner, 'private')];
    const same = defining('a.ts', word);
    await write({ files: [same] }, { repositoryId: closed });
    await write({ files: [same] }, { repositoryId: open });
    const within = { terms: [word], repositoryIds: undefined };
    await given.eventually(async () => assert.equal((await files(within)).total, 2));
    assert.deepEqual(
      (await files(within, anonymous)).hits.map(({ repositoryId }) => repositoryId),
      [open],
    );
    await (await given.index()).remove({ section: 'code', repositoryId: open });
    await given.eventually(async () => assert.equal((await files(within)).total, 1));
    assert.equal((await files(within, anonymous)).total, 0);
  }),

  check('the rights of a caller who may read fifty thousand repositories are complete', async (given) => {
    const { world, owner, repository, word, backend, write } = given;
    await write({ files: [defining('a.ts', word)] });
    const few = world.readable(userOf(owner));
    const readable = {
      reader: few.reader,
      ids: async () => {
        const ids = [...(await few.ids())];
        return new Set([...Array.from({ length: 50_000 - ids.length }, () => randomUUID()), ...ids]);
      },
    };
    const asked = { readable, limit: 10, signal: new AbortController().signal, languages: [], paths: [] };
    await given.eventually(async () => {
      const { hits, total } = await backend.files({ ...asked, terms: [word], short: [] });
      assert.deepEqual([total, hits.map(({ repositoryId }) => repositoryId)], [1, [repository]]);
    });
    const { total } = await backend.symbols({ ...asked, name: word, kinds: [] });
    assert.equal(total, 1);
  }),

  check('a query asks for readable ids at most once, and rejects if they cannot be read', async (given) => {
    const { world, owner, repository, word, backend, write } = given;
    await write({ files: [defining('a.ts', word)] });
    await write({ documents: [document('1', word)] }, { section: issues });
    const readable = world.readable(userOf(owner));
    let asked = 0;
    const counting = { reader: readable.reader, ids: async () => ((asked += 1), readable.ids()) };
    const failing = { reader: readable.reader, ids: async () => ((asked += 1), Promise.reject(new Error('no ids'))) };
    for (const repositoryIds of [undefined, [repository], [repository, randomUUID()], []])
      for (const kind of kinds) {
        const run = (from: typeof counting | typeof failing): Promise<unknown> => {
          const within = { readable: from, repositoryIds, limit: 5, signal: new AbortController().signal };
          if (kind === 'files') return backend.files({ ...within, languages: [], paths: [], terms: [word], short: [] });
          if (kind === 'symbols')
            return backend.symbols({ ...within, languages: [], paths: [], name: word, kinds: [] });
          return backend.documents({ ...within, section: issues, words: [word], sort: 'recent' });
        };
        asked = 0;
        await run(counting);
        assert.ok(asked <= 1, `${kind} asked ${asked} times`);
        if (asked === 0) continue;
        await assert.rejects(run(failing), `${kind} without ids`);
      }
  }),
];
