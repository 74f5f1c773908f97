// Contract checks of `SearchBackend.documents`: words, phrases, order, sections, and documents returned unchanged.
import assert from 'node:assert/strict';
import { folded, wordsIn } from '#core/search/index';
import { hostileTexts } from '#test/support/clients/hostile-texts';
import { check, document, issues } from './bench.ts';

const section = issues;

/** Texts that are syntax of query languages. */
const syntax = [
  'a & b',
  'a | b',
  '!a',
  'a <-> b',
  'a:*',
  'a:AB',
  "'a'",
  "'' ''",
  '(a',
  'a)',
  'a OR b',
  'AND',
  'NOT a',
  '-a',
  '+a',
  'a*',
  '*',
  'a?',
  'a~2',
  'a^3',
  '/a/',
  '[a TO b]',
  '{a}',
  'title:a',
  '_exists_:a',
  '\\',
  '\\\\\'"',
  'a\nb',
  '\u0001\u0008\u000b\u001f\u007f',
  '\u0085\u2028\u200b',
  '\u{1f600}',
  '',
  ' ',
];

/** Texts of nearly 64 Ki characters. */
const longest: Readonly<Record<string, string>> = {
  short: 'ab '.repeat(21_800),
  same: 'lift '.repeat(13_100),
  letters: '\u6f22'.repeat(65_500),
  distinct: Array.from({ length: 13_100 }, (_, at) => at.toString(36).padStart(4, '0')).join(' '),
};

export const documentChecks = [
  check('all words must be in the title or the text, whole and in any case', async (given) => {
    const { word, write, keys } = given;
    await write(
      {
        documents: [
          document('title', `${word} Login fails`),
          document('text', 'Other', `Here the ${word.toUpperCase()} LOGIN fails.`),
          document('both', 'Login', `about ${word}`),
          document('half', 'Something', word),
          document('longer', `${word} logins running`),
          document(
            'umlaut',
            `${word} \u00dcberlauf im Puffer`,
            '\u041f\u0440\u0438\u0432\u0435\u0442 \u4e16\u754c 404',
          ),
        ],
      },
      { section },
    );
    for (const [words, expected] of [
      [['login'], ['title', 'text', 'both']],
      [['LOGIN'], ['title', 'text', 'both']],
      [
        ['login', 'fails'],
        ['title', 'text'],
      ],
      [
        ['fails', 'login'],
        ['title', 'text'],
      ],
      [['the'], ['text']],
      [['logi'], []],
      [['run'], []],
      [['\u00fcberlauf'], ['umlaut']],
      [['\u00dcBERLAUF'], ['umlaut']],
      [['\u043f\u0440\u0438\u0432\u0435\u0442', 'im'], ['umlaut']],
      [['\u4e16\u754c'], ['umlaut']],
      [['404'], ['umlaut']],
      [['absent'], []],
      [['login', 'absent'], []],
    ] as const)
      await given.becomesSet(() => keys({ words: [word, ...words] }), expected, words.join());
    await given.becomesSet(() => keys({ words: [word] }), ['title', 'text', 'both', 'half', 'longer', 'umlaut']);
  }),

  check('a text of several words is a phrase', async (given) => {
    const { word, write, keys } = given;
    await write(
      {
        documents: [
          document('phrase', 'A', `the ${word} login fails today`),
          document('title', `${word} Login Fails`),
          document('reversed', 'A', `the ${word} fails login today`),
          document('apart', 'A', `the ${word} login often fails today`),
        ],
      },
      { section },
    );
    await given.becomesSet(() => keys({ words: [word, 'login fails'] }), ['phrase', 'title']);
    await given.becomesSet(() => keys({ words: [`${word} login fails`] }), ['phrase', 'title']);
    await given.becomesSet(() => keys({ words: ['login fails today', word] }), ['phrase']);
    await given.becomesSet(() => keys({ words: [word, 'fails login'] }), ['reversed']);
    await given.becomesSet(() => keys({ words: [word, 'login fails', 'the'] }), ['phrase']);
    await given.becomesSet(() => keys({ words: [word, 'login', 'fails'] }), ['phrase', 'title', 'reversed', 'apart']);
  }),

  check('words are separated by other characters than letters and digits', async (given) => {
    const { word, write, keys } = given;
    await write(
      {
        documents: [
          document('1', `${word}: see <main> in src/sign-in-page.ts`, '\u201cquoted\u201d\u2014dashed (v2.5)'),
        ],
      },
      { section },
    );
    for (const words of [
      ['main'],
      ['src'],
      ['page'],
      ['ts'],
      ['sign-in-page'],
      ['src/sign-in-page.ts'],
      ['sign in page'],
      ['quoted'],
      ['dashed'],
      ['v2.5'],
      ['<main>'],
    ])
      await given.becomes(() => keys({ words: [word, ...words] }), ['1'], words.join());
  }),

  check('words are compared in their folded form, by single letters in Chinese and Japanese', async (given) => {
    const { word, write, keys } = given;
    await write(
      {
        documents: [
          document('composed', `${word} Caf\u00e9 \u039b\u0391\u0398\u039f\u03a3 \u0130stanbul`),
          document('decomposed', 'Other', `${word} CAFE\u0301 read_file q\u0308x`),
          document('plain', `${word} cafe read file`),
          document('scripts', word, '\u5168\u6587\u691c\u7d22\u3067\u63a2\u3059 \ud55c\uad6d\uc5b4 x\u6f22y'),
        ],
      },
      { section },
    );
    for (const [words, expected] of [
      ['caf\u00e9', ['composed', 'decomposed']],
      ['cafe\u0301', ['composed', 'decomposed']],
      ['cafe', ['plain']],
      ['\u03bb\u03b1\u03b8\u03bf\u03c2', ['composed']],
      ['i\u0307stanbul', ['composed']],
      ['\u0130STANBUL', ['composed']],
      ['read_file', ['decomposed', 'plain']],
      ['read', ['decomposed', 'plain']],
      ['q\u0308x', ['decomposed']],
      ['qx', []],
      ['\u691c\u7d22', ['scripts']],
      ['\u5168\u6587\u691c\u7d22\u3067\u63a2\u3059', ['scripts']],
      ['\u7d22\u691c', []],
      ['\ud55c\uad6d\uc5b4', ['scripts']],
      ['\ud55c\uad6d', []],
      ['\u6f22', ['scripts']],
      ['x\u6f22y', ['scripts']],
    ] as const)
      await given.becomesSet(() => keys({ words: [word, words] }), expected, words);
  }),

  check('a phrase is within the title or within the text', async (given) => {
    const { word, write, keys } = given;
    await write(
      {
        documents: [
          document('over', `a ${word} left`, 'right b'),
          document('title', `a ${word} left right`, 'b'),
          document('text', `a ${word}`, 'left right b'),
        ],
      },
      { section },
    );
    await given.becomesSet(() => keys({ words: [word, 'left', 'right'] }), ['over', 'title', 'text']);
    await given.becomesSet(() => keys({ words: [word, 'left right'] }), ['title', 'text']);
  }),

  check('words are found up to the end of the longest texts', async (given) => {
    const { word, write, keys } = given;
    await write(
      { documents: Object.entries(longest).map(([key, text]) => document(key, word, `${text} left right`)) },
      { section },
    );
    await given.becomesSet(() => keys({ words: [word, 'left', 'right'] }), Object.keys(longest));
  }),

  check('phrases are found up to the end of the longest texts', async (given) => {
    const { word, write, keys } = given;
    const documents = Object.entries(longest).flatMap(([key, text]) => [
      document(key, word, `${text} left right`),
      document(`${key}-reversed`, word, `right ${text} right left`),
    ]);
    await write({ documents }, { section });
    await given.becomesSet(() => keys({ words: [word, 'left right'] }), Object.keys(longest));
  }),

  check('a word in the title weighs more than in the text', async (given) => {
    const { word, write, keys, documents } = given;
    const filler = 'some other words that say nothing of it';
    await write(
      {
        documents: [
          document('text', `${filler} at all`, `${word} ${filler}`),
          document('title', `${word} ${filler}`, `${filler} at all`),
          document('text2', `${filler} at all`, `${filler} ${word}`),
        ],
      },
      { section },
    );
    await given.eventually(async () => {
      const found = await keys({ words: [word] });
      assert.deepEqual([found[0], found.length], ['title', 3]);
    });
    const [first, second] = (await documents({ words: [word] })).hits;
    assert.ok((first?.score ?? 0) > (second?.score ?? Infinity), 'the score says so');
    await given.becomes(() => keys({ words: [word], limit: 1 }), ['title']);
  }),

  check('recent sorts by the time of the last update, to the millisecond', async (given) => {
    const { word, write, keys } = given;
    const times = [
      '2100-01-01T00:00:00.000Z',
      '2026-05-01T10:00:00.002Z',
      '2026-05-01T10:00:00.001Z',
      '2026-05-01T09:59:59.999Z',
      '2001-09-09T01:46:39.999Z',
      '1970-01-01T00:00:00.000Z',
    ];
    const documents = times.map((time, at) =>
      document(time, at % 2 === 0 ? word : 'Title', `${word} `.repeat(1 + at), { updatedAt: new Date(time) }),
    );
    await write({ documents: [3, 0, 5, 1, 4, 2].flatMap((at) => documents[at] ?? []) }, { section });
    await given.becomes(() => keys({ words: [word], sort: 'recent' }), times);
    await given.becomes(() => keys({ words: [word], sort: 'recent', limit: 2 }), times.slice(0, 2));
    const touched = new Date('2026-06-01T00:00:00Z');
    await write({ documents: [document(times[5] ?? '', word, '', { updatedAt: touched })] }, { section });
    await given.becomes(
      () => keys({ words: [word], sort: 'recent' }),
      [0, 5, 1, 2, 3, 4].map((at) => times[at] ?? ''),
    );
  }),

  check('a query is about one section, and equal keys of sections and repositories are separate', async (given) => {
    const { word, write, documents, repository, world, owner, paths } = given;
    const other = await world.repository(owner, 'private');
    const at = (name: string, id: string) => document('1', word, '', { source: `${name} ${id}` });
    for (const id of [repository, other])
      for (const name of ['issues', 'merges'])
        await write({ documents: [at(name, id)] }, { section: name, repositoryId: id });
    const sources = async (name: string, ids: readonly string[]) =>
      (await documents({ words: [word], section: name, repositoryIds: ids })).hits.map(({ source }) => String(source));
    for (const name of ['issues', 'merges']) {
      await given.becomes(() => sources(name, [repository]), [`${name} ${repository}`]);
      await given.becomesSet(() => sources(name, [repository, other]), [`${name} ${repository}`, `${name} ${other}`]);
    }
    await given.becomes(() => sources('wikis', [repository, other]), []);
    await given.becomes(() => sources('code', [repository, other]), []);
    assert.deepEqual(await paths({ terms: [word] }), []);
    await write({ removed: ['1'] }, { section: 'issues' });
    await given.becomesSet(() => sources('issues', [repository, other]), [`issues ${other}`]);
    await given.becomes(() => sources('merges', [repository]), [`merges ${repository}`]);
  }),

  check('a document that is stored again loses its old words and its old source', async (given) => {
    const { word, write, documents, keys } = given;
    await write({ documents: [document('1', `${word} old`, 'former', { source: 'old' })] }, { section });
    await given.becomes(() => keys({ words: [word, 'former'] }), ['1']);
    await write({ documents: [document('1', `${word} new`, 'later', { source: 'new' })] }, { section });
    await given.becomes(() => keys({ words: [word, 'later', 'new'] }), ['1']);
    for (const words of [['old'], ['former']])
      await given.becomes(() => keys({ words: [word, ...words] }), [], words.join());
    assert.deepEqual(
      (await documents({ words: [word] })).hits.map(({ source }) => source),
      ['new'],
    );
  }),

  check('the source of a document is returned unchanged', async (given) => {
    const { word, write, documents, repository } = given;
    let deep: unknown = 'bottom';
    for (let level = 0; level < 500; level += 1) deep = level % 2 === 0 ? [deep] : { in: deep };
    const sources: readonly unknown[] = [
      null,
      true,
      0,
      -1.5,
      Number.MAX_SAFE_INTEGER,
      1e300,
      5e-324,
      '',
      'text',
      [],
      {},
      [null, [], {}, ''],
      deep,
      { 'a.b': 1, a: { b: 2 }, '': 3, $ref: 4, 'it\'s "odd" \\ %': 5 },
      JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":null}'),
      '\u0001\u001f\u007f\u2028\ufeff\u{1f600}e\u0301',
      '2026-01-02T03:04:05.678Z',
      { first: 'text' },
      { first: 1 },
      { first: { second: [1, 'two', { three: 3 }] } },
      'x'.repeat(16_000),
      Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key${at}`, at])),
    ];
    await write({ documents: sources.map((source, at) => document(String(at), word, '', { source })) }, { section });
    await given.eventually(async () => {
      const { hits } = await documents({ words: [word] });
      assert.equal(hits.length, sources.length);
      for (const { score: _, ...hit } of hits)
        assert.deepEqual(hit, { repositoryId: repository, key: hit.key, source: sources[Number(hit.key)] });
    });
  }),

  check('no words and no text of a document make a query or a write fail', async (given) => {
    const { word, write, keys } = given;
    const long = 65_536;
    const texts = [
      ...syntax,
      ...hostileTexts.map((text) => text.replaceAll(/[\0\ud800]/g, ' ')),
      'a-'.repeat(long / 2),
      'a.'.repeat(long / 2),
      'a@'.repeat(long / 2),
      '<a '.repeat(long / 4),
      'x'.repeat(long),
      '\u6f22'.repeat(long),
      '\u6f22 '.repeat(long / 2),
      '\u{1f600}'.repeat(long / 2),
      Array.from({ length: long / 6 }, (_, at) => at.toString(36).padStart(5, '0')).join(' '),
    ];
    await write(
      {
        documents: texts.map((text, at) =>
          document(`text-${at}`, at % 2 === 0 ? word : `${word} ${text.slice(0, 900)}`, text),
        ),
      },
      { section },
    );
    await given.eventually(async () => assert.equal((await keys({ words: [word] })).length, texts.length));
    await given.becomes(() => keys({ words: [word, '0088a'] }), [`text-${texts.length - 1}`], 'the last of many words');
    const askable = texts.filter((text) => text.length <= 256 && wordsIn(folded(text)).length > 0);
    assert.ok(askable.length > 30);
    for (const text of askable)
      for (const sort of ['relevance', 'recent'] as const) {
        assert.ok(Array.isArray(await keys({ words: [text], sort })), text);
        assert.ok(Array.isArray(await keys({ words: [word, text], sort })), text);
      }
    assert.ok(Array.isArray(await keys({ words: Array.from({ length: 16 }, (_, at) => `${word} ${at}`.repeat(9)) })));
  }),
];
