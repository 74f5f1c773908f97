// Contract checks of `SearchBackend`: the order of files, symbols and documents, and their bounds.
import assert from 'node:assert/strict';
import { mostCounted, pathWeight } from '#core/search/index';
import { check, defining, document, file, issues, symbol } from './bench.ts';

/** A path that weighs less than all others of these checks. */
const remote = (name: string): string => `vendor/third_party/deep/down/below/everything/else/in/the/tree/test/${name}`;

export const rankingChecks = [
  check('files rank by a defined symbol, then the file name, then the path, then the text', async (given) => {
    const { word, write, paths } = given;
    const other = `${word}other`;
    const ranked = [
      file(remote('defines.ts'), `${other} ${word}`, { symbols: [symbol(word.toUpperCase())] }),
      file(remote(`${word.toUpperCase()}.go`), other),
      file(remote(`${word}.d/x.go`), other),
      file('a.ts', `${word} ${other} `.repeat(200), {
        symbols: [symbol(`${word}Longer`), symbol(`my${word}`), symbol(word, { kind: 'field' })],
      }),
    ];
    await write({ files: ranked.toReversed() });
    const expected = ranked.map(({ path }) => path);
    await given.becomes(() => paths({ terms: [word] }), expected, 'one term');
    await given.becomes(() => paths({ terms: [other, word] }), expected, 'one of two terms');
    await given.becomes(() => paths({ terms: [word], limit: 2 }), expected.slice(0, 2), 'the best two');
    await given.becomes(() => paths({ terms: [word], paths: ['go'] }), expected.slice(1, 3), 'of a part');
  }),

  check('a name that contains a term ranks as a path, and only the last extension is left out', async (given) => {
    const { word, write, paths } = given;
    const ranked = [remote(`${word}.js`), `${word}.spec2.js`, `src/lib/${word}s.js`, `src/lib/more/the-${word}.js`];
    await write({ files: [...ranked, 'plain.js'].map((path) => file(path, word)).toReversed() });
    assert.deepEqual(
      ranked.slice(1).map(pathWeight),
      ranked
        .slice(1)
        .map(pathWeight)
        .toSorted((one, other) => other - one),
    );
    await given.becomes(() => paths({ terms: [word] }), [...ranked, 'plain.js']);
  }),

  check('files that match equally well are ordered by the weight of their paths, not by repetition', async (given) => {
    const { word, write, paths } = given;
    const ranked = ['a.ts', 'src/parser.ts', 'src/lib/parser/state.ts', 'test/a.ts', remote('long-name-of-a-file.ts')];
    const weights = ranked.map(pathWeight);
    assert.deepEqual(
      weights,
      [...new Set(weights)].toSorted((one, other) => other - one),
    );
    await write({ files: ranked.map((path, at) => file(path, `${word}\n`.repeat(1 + at * 50))).toReversed() });
    await given.becomes(() => paths({ terms: [word] }), ranked);
    await given.becomes(() => paths({ terms: [word], limit: 1 }), ranked.slice(0, 1));
  }),

  check('symbols rank by whole names, then beginnings, then parts, then by path', async (given) => {
    const { word, write, symbols } = given;
    const ranked = [
      [word.toUpperCase(), 'src/a.ts'],
      [word, remote('a.ts')],
      [`${word}Begins`, 'src/b.ts'],
      [`${word.toUpperCase()}S`, remote('b.ts')],
      [`is${word}`, 'c.ts'],
      [`_${word}_`, 'src/c.ts'],
      [`the${word}Part`, 'test/c.ts'],
    ] as const;
    await write({ files: ranked.map(([name, path]) => defining(path, name)).toReversed() });
    const found = async (limit: number) =>
      (await symbols({ name: word, limit })).hits.map(({ name, path }) => `${name} ${path}`);
    const expected = ranked.map((pair) => pair.join(' '));
    for (const limit of [100, 3, 1])
      await given.becomes(() => found(limit), expected.slice(0, limit), `limit ${limit}`);
  }),

  check('totals count up to a thousand, and hits are the best of all', async (given) => {
    const { word, write, files, symbols, documents, paths, names, keys } = given;
    const numbers = Array.from({ length: mostCounted + 1 }, (_, at) => at);
    const best = file(`${word}.ts`, word);
    for (const [count, added] of [
      [mostCounted - 1, numbers.slice(0, mostCounted - 1)],
      [mostCounted, numbers.slice(mostCounted - 1)],
    ] as const) {
      await write({ files: added.map((at) => defining(`src/${at}.ts`, `${word}${at}`)) });
      await write({ documents: added.map((at) => document(`${at}`, word)) }, { section: issues });
      await given.eventually(async () => {
        const totals = [
          await files({ terms: [word] }),
          await files({ terms: [word], limit: 1 }),
          await symbols({ name: word }),
          await symbols({ name: word, limit: 1 }),
          await documents({ words: [word] }),
          await documents({ words: [word], sort: 'recent', limit: 1 }),
        ].map(({ total }) => total);
        assert.deepEqual(totals, Array(6).fill(count));
      });
    }
    await write({ files: [best, defining('one.ts', word)] });
    const recent = document('recent', word, '', { updatedAt: new Date('2026-01-03T00:00:00Z') });
    await write({ documents: [recent] }, { section: issues });
    await given.becomes(() => paths({ terms: [word], limit: 2 }), ['one.ts', `${word}.ts`]);
    await given.becomes(() => names({ name: word, limit: 1 }), [word]);
    await given.becomes(() => keys({ words: [word], sort: 'recent', limit: 1 }), ['recent']);
  }),

  check('a limit of 1 and of 100 is kept', async (given) => {
    const { word, write, files, symbols, documents } = given;
    const numbers = Array.from({ length: 130 }, (_, at) => at);
    await write({ files: numbers.map((at) => defining(`${at}.ts`, `${word}${at}`)) });
    await write({ documents: numbers.map((at) => document(`${at}`, word)) }, { section: issues });
    for (const limit of [1, 2, 99, 100])
      await given.eventually(async () => {
        for (const { total, hits } of [
          await files({ terms: [word], limit }),
          await symbols({ name: word, limit }),
          await documents({ words: [word], limit }),
          await documents({ words: [word], limit, sort: 'recent' }),
        ])
          assert.deepEqual([total, hits.length], [130, limit]);
      });
  }),
];
