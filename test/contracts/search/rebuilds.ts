// Contract checks of `SearchBackend`: rebuilding an index while the old one answers.
import assert from 'node:assert/strict';
import { codeSection, type SearchBackend, type SearchIndex } from '#core/search/index';
import { check, defining, document, file, issues } from './bench.ts';

/** The ids of the indexes. */
const idsOf = async (backend: SearchBackend): Promise<readonly string[]> =>
  (await backend.indexes()).map(({ id }) => id);

/** Begins a rebuild, after ending one that a failed check has left. */
async function begun(backend: SearchBackend): Promise<readonly [SearchIndex, SearchIndex]> {
  await backend.finishRebuild();
  const [before] = await idsOf(backend);
  await backend.beginRebuild();
  const [old, rebuilt, ...more] = await backend.indexes();
  assert.ok(old !== undefined && rebuilt !== undefined && more.length === 0, 'two indexes');
  assert.equal(old.id, before);
  assert.notEqual(rebuilt.id, before);
  return [old, rebuilt];
}

export const rebuildChecks = [
  check('an index is rebuilt beside the old one, which answers until the rebuild is finished', async (given) => {
    const { word, write, paths, names, keys, repository, backend } = given;
    const code = { section: codeSection, repositoryId: repository };
    const talk = { section: issues, repositoryId: repository };
    await backend.finishRebuild();
    await write({ files: [defining('old.ts', `${word}old`)] });
    await write({ documents: [document('old', word)] }, { section: issues });
    const [old, rebuilt] = await begun(backend);
    assert.equal(await rebuilt.state(code), undefined);
    assert.deepEqual(await rebuilt.entries(code, undefined, 10), []);
    assert.deepEqual(await rebuilt.sources(undefined, 10), []);
    await rebuilt.write(code, { files: [defining('new.ts', `${word}new`)] }, 'new state');
    await rebuilt.write(talk, { documents: [document('new', word)] }, 'new state');
    await old.write(code, { files: [defining('late.ts', `${word}late`)] }, 'late state');
    const answersOld = async (): Promise<void> => {
      await given.becomesSet(() => paths({ terms: [word] }), ['old.ts', 'late.ts']);
      await given.becomesSet(() => names({ name: word }), [`${word}old`, `${word}late`]);
      await given.becomes(() => keys({ words: [word] }), ['old']);
      assert.equal((await backend.symbolsOf(repository, 'old.ts')).length, 1);
      assert.equal((await backend.symbolsOf(repository, 'new.ts')).length, 0);
    };
    await answersOld();
    await given.settled();
    await answersOld();
    assert.equal(await old.state(code), 'late state');
    assert.equal(await rebuilt.state(code), 'new state');
    assert.deepEqual(
      (await rebuilt.entries(code, undefined, 10)).map(({ key }) => key),
      ['new.ts'],
    );
    await backend.finishRebuild();
    assert.deepEqual(await idsOf(backend), [rebuilt.id]);
    await given.becomes(() => paths({ terms: [word] }), ['new.ts']);
    await given.becomes(() => names({ name: word }), [`${word}new`]);
    await given.becomes(() => keys({ words: [word] }), ['new']);
    assert.equal((await backend.symbolsOf(repository, 'old.ts')).length, 0);
    assert.equal((await backend.symbolsOf(repository, 'new.ts')).length, 1);
    const index = await given.index();
    assert.equal(await index.state(code), 'new state');
    assert.deepEqual(await index.entries(talk, undefined, 10), [{ key: 'new', oid: '' }]);
    const { files, symbols, documents } = await backend.size();
    assert.deepEqual([files, symbols, documents], [1, 1, 1]);
  }),

  check('beginRebuild during a rebuild, and finishRebuild without one, do nothing', async (given) => {
    const { word, write, paths, repository, backend } = given;
    const code = { section: codeSection, repositoryId: repository };
    await backend.finishRebuild();
    await write({ files: [file('kept.ts', word)] });
    const before = await idsOf(backend);
    assert.equal(before.length, 1);
    await backend.finishRebuild();
    assert.deepEqual(await idsOf(backend), before);
    await given.becomes(() => paths({ terms: [word] }), ['kept.ts']);
    const [old, rebuilt] = await begun(backend);
    await rebuilt.write(code, { files: [file('new.ts', word)] }, 'kept');
    await backend.beginRebuild();
    assert.deepEqual(await idsOf(backend), [old.id, rebuilt.id]);
    assert.equal(await (await backend.indexes())[1]?.state(code), 'kept');
    assert.equal(await (await backend.indexes())[0]?.state(code), 'written');
    await backend.finishRebuild();
    await backend.finishRebuild();
    assert.deepEqual(await idsOf(backend), [rebuilt.id]);
    await given.becomes(() => paths({ terms: [word] }), ['new.ts']);
  }),

  check('ids of indexes never repeat, and a second rebuild starts empty', async (given) => {
    const { backend, repository, word, paths } = given;
    const code = { section: codeSection, repositoryId: repository };
    const seen = new Set(await idsOf(backend));
    for (let time = 0; time < 3; time += 1) {
      const [old, rebuilt] = await begun(backend);
      assert.ok(!seen.has(rebuilt.id), rebuilt.id);
      seen.add(rebuilt.id);
      assert.equal(await old.state(code), time === 0 ? undefined : `state ${time - 1}`);
      assert.equal(await rebuilt.state(code), undefined);
      await rebuilt.write(code, { files: [file(`${time}.ts`, word)] }, `state ${time}`);
      await backend.finishRebuild();
      await given.becomes(() => paths({ terms: [word] }), [`${time}.ts`]);
    }
  }),

  check('sources are removed from both indexes separately', async (given) => {
    const { backend, repository, word, paths } = given;
    const code = { section: codeSection, repositoryId: repository };
    const [old, rebuilt] = await begun(backend);
    for (const index of [old, rebuilt]) await index.write(code, { files: [file('a.ts', word)] }, index.id);
    await given.becomes(() => paths({ terms: [word] }), ['a.ts']);
    await rebuilt.remove(code);
    assert.deepEqual([await old.state(code), await rebuilt.state(code)], [old.id, undefined]);
    await rebuilt.write(code, { files: [file('b.ts', word)] }, 'again');
    await old.remove(code);
    await given.becomes(() => paths({ terms: [word] }), []);
    assert.deepEqual([await old.state(code), await rebuilt.state(code)], [undefined, 'again']);
    await backend.finishRebuild();
    await given.becomes(() => paths({ terms: [word] }), ['b.ts']);
  }),

  check('a write to an index that a rebuild has replaced is not found', async (given) => {
    const { backend, repository, word, paths } = given;
    const code = { section: codeSection, repositoryId: repository };
    const [old, rebuilt] = await begun(backend);
    await rebuilt.write(code, { files: [file('new.ts', word)] }, 'new');
    await backend.finishRebuild();
    await old.write(code, { files: [file('stale.ts', word)] }, 'stale').catch(() => undefined);
    await rebuilt.write(code, { files: [file('later.ts', word)] }, 'later');
    await given.eventually(async () =>
      assert.deepEqual((await paths({ terms: [word] })).toSorted(), ['later.ts', 'new.ts']),
    );
    assert.equal(await (await given.index()).state(code), 'later');
  }),
];
