// Contract checks of `SearchIndex`: what writes, moves and removals store, and in which order it is listed.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { codeSection, type IndexSource, type SearchIndex, type StoredEntry } from '#core/search/index';
import { check, defining, document, file, issues, newWord, paged, symbol } from './bench.ts';

/** Paths that collations order differently, sorted by their bytes in UTF-8. */
const sortedPaths = [
  ' b',
  '-',
  'A',
  'Z/a',
  '_',
  'a',
  'a b',
  'a!',
  'a-b',
  'a.b',
  'a/b',
  'a/b/c',
  'a0',
  'aa',
  'a\u0300',
  'z',
  '\u00e0',
  '\u00e9',
  '\u6f22',
  '\uffee',
  '\u{10000}',
  '\u{1f600}',
];

/** All entries of a source, read in pages of `limit`. */
const listed = (index: SearchIndex, source: IndexSource, limit: number): Promise<readonly StoredEntry[]> =>
  paged(
    (last) => index.entries(source, last?.key, limit),
    limit,
    ({ key }) => key,
  );

export const writeChecks = [
  check('state is the text of the last write, and undefined before the first and after a removal', async (given) => {
    const { repository } = given;
    const index = await given.index();
    const [source, other] = [codeSection, issues].map((section) => ({ section, repositoryId: repository }));
    assert.ok(source !== undefined && other !== undefined);
    assert.equal(await index.state(source), undefined);
    for (const state of ['one', '', 'x'.repeat(1000), '\u{1f600}'.repeat(500), `it's "{odd}" \\ % \n\t null`]) {
      await index.write(source, {}, state);
      assert.equal(await index.state(source), state);
      assert.equal(await index.state(other), undefined);
    }
    await index.remove(source);
    assert.equal(await index.state(source), undefined);
  }),

  check('entries have keys and oids, sorted by the bytes of the keys, page by page', async (given) => {
    const index = await given.index();
    const source = { section: codeSection, repositoryId: given.repository };
    const files = sortedPaths.map((path) => file(path, given.word));
    await index.write(source, { files: files.toReversed() }, 'x');
    const expected = files.map(({ path, oid }) => ({ key: path, oid }));
    for (const limit of [1, 2, 7, sortedPaths.length, 1000])
      assert.deepEqual(await listed(index, source, limit), expected, `limit ${limit}`);
    for (const [after, next] of [
      ['', ' b'],
      ['a,', 'a-b'],
      ['a-b\u0001', 'a.b'],
      ['\u{ffff}', '\u{10000}'],
      ['\u{10ffff}', undefined],
    ] as const)
      assert.equal((await index.entries(source, after, 1))[0]?.key, next, JSON.stringify(after));
  }),

  check('entries of documents have no oid, and a source that was not written has no entries', async (given) => {
    const index = await given.index();
    const source = { section: issues, repositoryId: given.repository };
    await index.write(source, { documents: sortedPaths.map((key) => document(key, given.word)) }, 'x');
    assert.deepEqual(
      await listed(index, source, 5),
      sortedPaths.map((key) => ({ key, oid: '' })),
    );
    for (const unwritten of [
      { ...source, section: codeSection },
      { ...source, section: 'merges' },
      { ...source, repositoryId: await given.world.repository(given.owner, 'public') },
    ])
      assert.deepEqual(await index.entries(unwritten, undefined, 10), []);
  }),

  check('sources are listed with their states, sorted by repository and section, page by page', async (given) => {
    const { world, owner } = given;
    const index = await given.index();
    const ids = [given.repository, await world.repository(owner, 'public'), await world.repository(owner, 'private')];
    const written = ids.toSorted().flatMap((repositoryId) =>
      [codeSection, issues, 'merges'].map((section) => ({
        section,
        repositoryId,
        state: `${section} ${repositoryId}`,
      })),
    );
    for (const { state, ...source } of written.toReversed()) await index.write(source, {}, state);
    for (const limit of [1, 2, 100]) {
      const all = await paged(
        (last: (IndexSource & { readonly state: string }) | undefined) => index.sources(last, limit),
        limit,
        ({ repositoryId, section }) => `${repositoryId} ${section}`,
      );
      const mine = all.filter(({ repositoryId }) => ids.includes(repositoryId));
      assert.deepEqual(
        mine.map(({ section, repositoryId, state }) => ({ section, repositoryId, state })),
        written,
      );
      const order = all.map(({ repositoryId, section }) => `${repositoryId} ${section}`);
      assert.deepEqual(order, [...new Set(order)].toSorted());
    }
  }),

  check('a file that is stored again loses its old text, oid, language and symbols', async (given) => {
    const { word, write, paths, names, files, repository, backend } = given;
    const [old, now] = [`${word}old`, `${word}now`];
    await write({
      files: [file('a.ts', `${old} ${word}`, { symbols: [symbol(`${old}Name`), symbol(`${word}Both`)] })],
    });
    await given.becomes(() => paths({ terms: [old] }), ['a.ts']);
    const again = file('a.ts', `${now} ${word}`, { language: 'odd', symbols: [symbol(`${word}Both`, { line: 7 })] });
    await write({ files: [again] });
    await given.eventually(async () => {
      assert.deepEqual(await paths({ terms: [now] }), ['a.ts']);
      assert.deepEqual(await paths({ terms: [old] }), []);
      assert.deepEqual(await names({ name: word }), [`${word}Both`]);
      assert.deepEqual(await backend.symbolsOf(repository, 'a.ts'), again.symbols);
      const { hits } = await files({ terms: [word] });
      assert.deepEqual(
        hits.map(({ oid, language }) => [oid, language]),
        [[again.oid, 'odd']],
      );
    });
    assert.deepEqual(
      await (await given.index()).entries({ section: codeSection, repositoryId: repository }, undefined, 9),
      [{ key: 'a.ts', oid: again.oid }],
    );
  }),

  check('a moved file keeps its text, oid and symbols, and has the new path and language', async (given) => {
    const { word, write, files, symbols, repository, backend, paths } = given;
    const before = defining('src/before.js', `${word}Moves`);
    await write({ files: [before, file('src/other.js', word)] });
    await write({ moved: [{ from: 'src/before.js', to: 'lib/after.ts', language: 'typescript' }] });
    await given.becomes(() => paths({ terms: [`${word}moves`] }), ['lib/after.ts']);
    const { hits } = await files({ terms: [`${word}moves`] });
    assert.deepEqual(
      hits.map(({ score: _, definedAt: _line, ...hit }) => hit),
      [{ repositoryId: repository, path: 'lib/after.ts', oid: before.oid, language: 'typescript' }],
    );
    const found = (await symbols({ name: `${word}moves` })).hits;
    assert.deepEqual(
      found.map(({ path, language, name, line, signature }) => [path, language, name, line, signature]),
      [['lib/after.ts', 'typescript', `${word}Moves`, 1, before.symbols[0]?.signature]],
    );
    assert.deepEqual(await backend.symbolsOf(repository, 'lib/after.ts'), before.symbols);
    assert.deepEqual(await backend.symbolsOf(repository, 'src/before.js'), []);
    assert.deepEqual(await paths({ terms: [word], paths: ['before'] }), []);
    assert.deepEqual(await paths({ terms: [word], languages: ['typescript'] }), ['lib/after.ts']);
    assert.deepEqual(
      (await listed(await given.index(), { section: codeSection, repositoryId: repository }, 10)).map(({ key }) => key),
      ['lib/after.ts', 'src/other.js'],
    );
  }),

  check('a write applies removals first, then moves, then files', async (given) => {
    const { word, write, paths, names } = given;
    const [one, two, three] = [`${word}one`, `${word}two`, `${word}three`];
    await write({ files: [defining('a.ts', one), defining('b.ts', two), file('c.ts', `${word} old`)] });
    await given.becomesSet(() => paths({ terms: [word] }), ['a.ts', 'b.ts', 'c.ts']);
    await write({
      files: [defining('b.ts', three), file('c.ts', `${word} new`)],
      moved: [{ from: 'b.ts', to: 'a.ts', language: 'typescript' }],
      removed: ['a.ts', 'c.ts'],
    });
    await given.eventually(async () => {
      assert.deepEqual((await paths({ terms: [word] })).toSorted(), ['a.ts', 'b.ts', 'c.ts']);
      assert.deepEqual(await paths({ terms: [one] }), []);
      assert.deepEqual(await paths({ terms: [two] }), ['a.ts']);
      assert.deepEqual(await paths({ terms: [three] }), ['b.ts']);
      assert.deepEqual(await paths({ terms: [`${word} new`] }), ['c.ts']);
      assert.deepEqual(await paths({ terms: [`${word} old`] }), []);
      assert.deepEqual((await names({ name: word })).toSorted(), [two, three].toSorted());
    });
  }),

  check('a document that is removed and stored in one write has the new texts', async (given) => {
    const { word, write, keys } = given;
    await write({ documents: [document('1', `${word} old`)] }, { section: issues });
    await given.becomes(() => keys({ words: [word, 'old'] }), ['1']);
    await write({ removed: ['1'], documents: [document('1', `${word} new`)] }, { section: issues });
    await given.becomes(() => keys({ words: [word, 'new'] }), ['1']);
    await given.becomes(() => keys({ words: ['old'] }), []);
  }),

  check('a move of a file that is not stored, or to a stored path, rejects', async (given) => {
    const { word, write, paths } = given;
    const [one, two] = [`${word}one`, `${word}two`];
    await write({ files: [file('a.ts', one), file('b.ts', two)] });
    await assert.rejects(write({ moved: [{ from: 'none.ts', to: 'c.ts', language: '' }] }));
    await assert.rejects(write({ moved: [{ from: 'a.ts', to: 'b.ts', language: '' }] }));
    await given.becomes(() => paths({ terms: [two] }), ['b.ts']);
    await given.becomes(() => paths({ terms: [one] }), ['a.ts']);
  }),

  check('removed files and documents are not found, and unknown ones are ignored', async (given) => {
    const { word, write, paths, names, keys, repository, backend } = given;
    await write({ files: [defining('a.ts', `${word}a`), defining('b.ts', `${word}b`)] });
    await write({ documents: [document('a', word), document('b', word)] }, { section: issues });
    await given.becomesSet(() => keys({ words: [word] }), ['a', 'b']);
    for (let time = 0; time < 2; time += 1) {
      await write({ removed: ['a.ts', 'none.ts', ''] });
      await write({ removed: ['a', 'none', ''] }, { section: issues });
      await given.becomes(() => paths({ terms: [word] }), ['b.ts']);
      await given.becomes(() => names({ name: word }), [`${word}b`]);
      await given.becomes(() => keys({ words: [word] }), ['b']);
      assert.deepEqual(await backend.symbolsOf(repository, 'a.ts'), []);
    }
  }),

  check('the same write again changes nothing', async (given) => {
    const { word, write, files, symbols, documents, repository } = given;
    const index = await given.index();
    for (let time = 0; time < 3; time += 1) {
      await write({ removed: ['old.ts'], files: [defining('a.ts', `${word}a`, `${word}b`), file('b.ts', word)] });
      await write({ removed: ['old'], documents: [document('1', word), document('2', word)] }, { section: issues });
      await given.eventually(async () => {
        assert.equal((await files({ terms: [word] })).total, 2);
        assert.equal((await symbols({ name: word })).total, 2);
        assert.equal((await documents({ words: [word] })).total, 2);
      });
      for (const section of [codeSection, issues])
        assert.equal((await index.entries({ section, repositoryId: repository }, undefined, 9)).length, 2);
    }
  }),

  check(
    'remove removes one source with its state, may be repeated, and the source can be written again',
    async (given) => {
      const { word, write, paths, names, keys, repository, world, owner, backend } = given;
      const index = await given.index();
      const other = await world.repository(owner, 'private');
      const both = { repositoryIds: [repository, other] };
      await write({ files: [defining('a.ts', `${word}a`)] });
      await write({ files: [defining('b.ts', `${word}b`)] }, { repositoryId: other });
      for (const section of [issues, 'merges']) await write({ documents: [document(section, word)] }, { section });
      await given.becomesSet(() => paths({ terms: [word], ...both }), ['a.ts', 'b.ts']);
      await given.becomes(() => keys({ words: [word], section: 'merges' }), ['merges']);
      for (let time = 0; time < 2; time += 1)
        for (const section of [codeSection, 'merges']) await index.remove({ section, repositoryId: repository });
      await given.becomes(() => paths({ terms: [word], ...both }), ['b.ts']);
      await given.becomes(() => names({ name: word, ...both }), [`${word}b`]);
      await given.becomes(() => keys({ words: [word], section: 'merges' }), []);
      await given.becomes(() => keys({ words: [word] }), [issues]);
      assert.deepEqual(await backend.symbolsOf(repository, 'a.ts'), []);
      assert.deepEqual(
        (await listed(index, { section: codeSection, repositoryId: repository }, 10)).map(({ key }) => key),
        [],
      );
      for (const [section, repositoryId, state] of [
        [codeSection, repository, undefined],
        ['merges', repository, undefined],
        [issues, repository, 'written'],
        [codeSection, other, 'written'],
      ] as const)
        assert.equal(await index.state({ section, repositoryId }), state);
      await write({ files: [file('c.ts', word)] });
      await given.becomesSet(() => paths({ terms: [word], ...both }), ['b.ts', 'c.ts']);
    },
  ),

  check('files with the same oid are separate', async (given) => {
    const { word, write, paths, names, repository, world, owner, backend } = given;
    const other = await world.repository(owner, 'private');
    const both = { repositoryIds: [repository, other] };
    const first = defining('a.ts', `${word}Twin`);
    const unparsed = { ...first, path: 'a.txt', language: 'text', symbols: [] };
    await write({ files: [first, unparsed] });
    await write({ files: [first] }, { repositoryId: other });
    await given.becomes(() => paths({ terms: [`${word}twin`], ...both }), ['a.ts', 'a.ts', 'a.txt']);
    assert.deepEqual(await backend.symbolsOf(repository, 'a.txt'), []);
    await write({ removed: ['a.ts'] });
    await given.becomesSet(() => paths({ terms: [`${word}twin`], ...both }), ['a.ts', 'a.txt']);
    await given.becomes(() => names({ name: `${word}twin`, ...both }), [`${word}Twin`]);
    assert.deepEqual(await backend.symbolsOf(other, 'a.ts'), first.symbols);
    await (await given.index()).remove({ section: codeSection, repositoryId: other });
    await given.becomes(() => paths({ terms: [`${word}twin`], ...both }), ['a.txt']);
  }),

  check('paths and keys that look alike, and long ones, are separate and returned unchanged', async (given) => {
    const { word, write, paths, keys, repository, backend } = given;
    const index = await given.index();
    const distinct = (at: number): string => String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000));
    const long = `${Array.from({ length: 666 }, (_, at) => distinct(at)).join('')}-`;
    assert.equal(Buffer.byteLength(`${long}1`), 2000);
    const alike = [
      'readme',
      'README',
      'README ',
      ' README',
      './README',
      'caf\u00e9',
      'cafe\u0301',
      'tab\tbed',
      'new\nline',
      'a\u0001b',
      `"it's"`,
      '%_\\',
      '__proto__',
      'constructor',
      `${long}1`,
      `${long}2`,
    ];
    await write({ files: alike.map((path) => file(path, word, { symbols: [symbol(`${word}In`)] })) });
    await write({ documents: alike.map((key) => document(key, word)) }, { section: issues });
    await given.becomesSet(() => paths({ terms: [word] }), alike);
    await given.becomesSet(() => keys({ words: [word] }), alike);
    for (const section of [codeSection, issues])
      assert.deepEqual(
        (await listed(index, { section, repositoryId: repository }, 3)).map(({ key }) => key).toSorted(),
        alike.toSorted(),
      );
    for (const path of alike)
      assert.deepEqual(await backend.symbolsOf(repository, path), [symbol(`${word}In`)], JSON.stringify(path));
    await write({ removed: ['README', `${long}1`, 'cafe\u0301'] });
    await write({ removed: ['README', `${long}1`, 'cafe\u0301'] }, { section: issues });
    const left = alike.filter((key) => !['README', `${long}1`, 'cafe\u0301'].includes(key));
    await given.becomesSet(() => paths({ terms: [word] }), left);
    await given.becomesSet(() => keys({ words: [word] }), left);
  }),

  check('concurrent writes of different sources are all stored', async (given) => {
    const { word, world, owner, files, documents } = given;
    const index = await given.index();
    const ids = await Promise.all(Array.from({ length: 12 }, () => world.repository(owner, 'private')));
    const texts = Array.from({ length: 10 }, () => newWord());
    await Promise.all(
      ids.flatMap((repositoryId) => [
        index.write(
          { section: codeSection, repositoryId },
          { files: texts.map((text, at) => file(`${at}.ts`, `${word} ${text}`)) },
          repositoryId,
        ),
        index.write(
          { section: issues, repositoryId },
          { documents: texts.map((text, at) => document(String(at), `${word} ${text}`)) },
          repositoryId,
        ),
      ]),
    );
    await given.eventually(async () => {
      assert.equal((await files({ terms: [word], repositoryIds: ids })).total, 120);
      assert.equal((await documents({ words: [word], repositoryIds: ids })).total, 120);
      assert.equal((await files({ terms: [texts[0] ?? ''], repositoryIds: ids })).total, 12);
    });
    for (const repositoryId of ids)
      for (const section of [codeSection, issues])
        assert.equal(await index.state({ section, repositoryId }), repositoryId);
  }),

  check('size counts the files, symbols and documents that are stored', async (given) => {
    const { word, write, backend } = given;
    const counts = async (): Promise<readonly number[]> => {
      const { files, symbols, documents, bytes } = await backend.size();
      assert.ok(bytes === undefined || (Number.isInteger(bytes) && bytes >= 0), `${bytes} bytes`);
      return [files, symbols, documents];
    };
    let before = await counts();
    const adds = async (added: readonly number[], what: string): Promise<void> => {
      await given.eventually(async () =>
        assert.deepEqual(
          (await counts()).map((count, at) => count - (before[at] ?? 0)),
          added,
          what,
        ),
      );
      before = await counts();
    };
    await write({ files: [defining('a.ts', `${word}a`, `${word}b`), file('b.ts')] });
    await write({ documents: [1, 2, 3].map((key) => document(String(key), word)) }, { section: issues });
    await adds([2, 2, 3], 'stored');
    await write({ files: [defining('a.ts', `${word}c`)] });
    await write({ documents: [document('1', word)] }, { section: issues });
    await adds([0, -1, 0], 'stored again');
    await write({ removed: ['b.ts'] });
    await write({ removed: ['1', '2'] }, { section: issues });
    await adds([-1, 0, -2], 'removed');
  }),
];
