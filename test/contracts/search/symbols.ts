// Contract checks of `SearchBackend.symbols` and `symbolsOf`: which definitions match a name.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { symbolKinds, type SymbolDefinition } from '#core/search/index';
import { check, defining, file, symbol } from './bench.ts';

export const symbolChecks = [
  check('a name is found whole, at the beginning and inside of names, in any case', async (given) => {
    const { word, write, names } = given;
    const all = [word, word.toUpperCase(), `${word}Suffix`, `prefix${word}`, `a_${word.toUpperCase()}_b`];
    await write({ files: [defining('a.ts', ...all, 'other', word.slice(0, -1))] });
    await given.becomesSet(() => names({ name: word }), all);
    await given.becomesSet(() => names({ name: `${word}suf` }), [`${word}Suffix`]);
    await given.becomesSet(() => names({ name: `fix${word}` }), [`prefix${word}`]);
    await given.becomesSet(() => names({ name: `_${word}_b` }), [`a_${word.toUpperCase()}_b`]);
    await given.becomesSet(() => names({ name: `${word}none` }), []);
  }),

  check('names without three letters or digits in a row are found whole only', async (given) => {
    const { write, names } = given;
    await write({
      files: [defining('a.ts', 'a', 'A', 'ab', 'aB', 'abc', 'ba', '$', '_', '__', 'x_', '%', '\u00e9', '\u6f22')],
    });
    for (const [name, expected] of [
      ['a', ['a', 'A']],
      ['ab', ['ab', 'aB']],
      ['$', ['$']],
      ['_', ['_']],
      ['__', ['__']],
      ['%', ['%']],
      ['a_', []],
      ['*', []],
      ['\\', []],
      ['\u00e9', ['\u00e9']],
      ['\u6f22', ['\u6f22']],
      ['abc', ['abc']],
    ] as const)
      await given.becomesSet(() => names({ name }), expected, name);
  }),

  check('a name is literal, whatever its characters are', async (given) => {
    const { write, names } = given;
    const all = [
      'operator===',
      'operator->*',
      'a_b_c',
      'aXbXc',
      '100%',
      '1000',
      String.raw`back\slash`,
      'backslash',
      "it's",
      '"quoted name"',
      'List<T>',
      'm?ybe',
      'maybe',
      '$_$',
      '[Symbol.iterator]',
      '\u00fcberlauf',
      '\u6f22\u5b57\u691c\u7d22',
      '\u{1f600}\u{1f600}\u{1f600}',
    ];
    await write({ files: [defining('a.ts', ...all)] });
    for (const [name, expected] of [
      ['operator===', ['operator===']],
      ['ator->*', ['operator->*']],
      ['a_b_c', ['a_b_c']],
      ['100%', ['100%']],
      ['$_$', ['$_$']],
      [String.raw`back\slash`, [String.raw`back\slash`]],
      [`it's`, [`it's`]],
      ['"quoted', ['"quoted name"']],
      ['list<t>', ['List<T>']],
      ['m?ybe', ['m?ybe']],
      ['may*e', []],
      ['mayb.', []],
      ['l.iter', ['[Symbol.iterator]']],
      ['\u00fcber', ['\u00fcberlauf']],
      ['\u5b57\u691c\u7d22', ['\u6f22\u5b57\u691c\u7d22']],
      ['\u{1f600}\u{1f600}\u{1f600}', ['\u{1f600}\u{1f600}\u{1f600}']],
      ['x'.repeat(256), []],
    ] as const)
      await given.becomesSet(() => names({ name }), expected, name);
    for (const name of ['===', '->*', '00%', '%%%', '___', '***', '...', "'''", '\\\\\\', '$_'])
      await given.becomesSet(() => names({ name }), [], `parts of names by ${name}`);
  }),

  check('kinds, languages and paths filter definitions', async (given) => {
    const { word, write, names } = given;
    await write({
      files: [
        file('src/a.ts', '', {
          symbols: symbolKinds.map((kind, line) => symbol(`${word}_${kind}`, { kind, line: line + 1 })),
        }),
        file('lib/b.py', '', { symbols: [symbol(`${word}_py`, { kind: 'class' })] }),
      ],
    });
    for (const kind of symbolKinds)
      await given.becomesSet(
        () => names({ name: word, kinds: [kind] }),
        kind === 'class' ? [`${word}_class`, `${word}_py`] : [`${word}_${kind}`],
      );
    await given.becomesSet(() => names({ name: word, kinds: ['enum', 'macro'] }), [`${word}_enum`, `${word}_macro`]);
    await given.becomesSet(() => names({ name: word, kinds: ['class'], languages: ['python', 'go'] }), [`${word}_py`]);
    await given.becomesSet(() => names({ name: word, kinds: ['class'], paths: ['src/'] }), [`${word}_class`]);
    await given.becomesSet(() => names({ name: word, kinds: ['class'], paths: ['/b', 'lib'] }), [`${word}_py`]);
    await given.becomesSet(() => names({ name: word, kinds: ['class'], paths: ['src', 'lib'] }), []);
    await given.becomesSet(() => names({ name: word, kinds: ['macro'], languages: ['python'] }), []);
    assert.equal((await names({ name: word })).length, symbolKinds.length + 1);
  }),

  check('a hit has every member of the definition, unchanged', async (given) => {
    const { word, write, symbols, repository } = given;
    const definition: SymbolDefinition = {
      name: `${word}Caf\u00e9`,
      kind: 'constant',
      line: 123_456,
      signature: `"it's" \\ % _ \t \u{1f600} `.padEnd(200, '\u6f22'),
    };
    await write({ files: [file('Src/A b.ts', '', { symbols: [definition] })] });
    await given.eventually(async () => {
      const { hits, total } = await symbols({ name: `${word}caf\u00e9` });
      assert.deepEqual(
        hits.map(({ score: _, ...hit }) => hit),
        [{ repositoryId: repository, path: 'Src/A b.ts', language: 'typescript', ...definition }],
      );
      assert.equal(total, 1);
    });
  }),

  check('equal definitions in one line, as in minified code, are all kept', async (given) => {
    const { word, write, names, backend, repository } = given;
    const same = [symbol(word), symbol(word), symbol(word, { kind: 'variable' })];
    await write({ files: [file('min.js', '', { symbols: same }), file('min2.js', '', { symbols: same.slice(0, 1) })] });
    await given.becomes(() => names({ name: word }), [word, word, word, word]);
    const found = await backend.symbolsOf(repository, 'min.js');
    assert.deepEqual(found.map(({ kind }) => kind).toSorted(), ['function', 'function', 'variable']);
  }),

  check('symbolsOf has the definitions of one file in the order of their lines, up to two thousand', async (given) => {
    const { word, write, backend, repository, world, owner } = given;
    const symbols = Array.from({ length: 2000 }, (_, at) =>
      symbol(`${word}${(at * 7919) % 2000}`, {
        line: 1 + at * 3,
        kind: symbolKinds[at % symbolKinds.length] ?? 'class',
      }),
    );
    const other = await world.repository(owner, 'private');
    await write({ files: [file('a.ts', '', { symbols }), defining('b.ts', word), file('c.ts')] });
    await write({ files: [defining('a.ts', `${word}Else`)] }, { repositoryId: other });
    const of = (id: string, path: string) => backend.symbolsOf(id, path);
    await given.eventually(async () => {
      assert.deepEqual(await of(repository, 'a.ts'), symbols);
      assert.deepEqual(await of(repository, 'b.ts'), [symbol(word)]);
      assert.deepEqual(await of(other, 'a.ts'), [symbol(`${word}Else`)]);
    });
    for (const [id, path] of [
      [repository, 'c.ts'],
      [repository, 'A.ts'],
      [repository, 'a%'],
      [repository, ''],
      [other, 'b.ts'],
      [randomUUID(), 'a.ts'],
    ] as const)
      assert.deepEqual(await of(id, path), [], path);
  }),
];
