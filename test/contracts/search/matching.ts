// Contract checks of `SearchBackend.files`: which files match. Terms are literal texts, whatever their characters are.
import assert from 'node:assert/strict';
import { folded } from '#core/search/index';
import { check, file } from './bench.ts';

/** A term, and texts that resemble it and do not contain it. */
const literal: readonly (readonly [term: string, ...decoys: readonly string[]])[] = [
  ['100%done', '100 was done', '100done', String.raw`100\%done`],
  ['snake_case_name', 'snake-case-name', 'snakeXcaseXname', 'snake__case_name'],
  [String.raw`c:\dir\new`, 'c:dirnew', String.raw`c:\\dir\\new`, 'c:/dir/new'],
  [String.raw`abc\%xyz`, 'abc%xyz', 'abc1xyz'],
  [String.raw`abc\_qrs`, 'abc_qrs', 'abc1qrs'],
  ['ends100%', 'ends100'],
  ['%begins', 'begins'],
  ['trailing\\', 'trailing'],
  [`it's quoted`, `it''s quoted`, 'its quoted'],
  ['say "hello"', 'say hello', "say 'hello'"],
  ['`ticks`', 'ticks'],
  ['glob*.tsx', 'globals.tsx', 'glob.tsx'],
  ['what?ever', 'whatxever', 'whatever'],
  ['^(first|second)[0-9]+$', 'first1', 'second2'],
  ['dot.all', 'dotxall', 'dotall'],
  ['{brace}', 'brace'],
  ['${money}', 'money'],
  ['<tag>inner</tag>', 'inner', '&lt;tag&gt;inner'],
  ['&amp;amp', '&amp'],
  ["'; drop table files; --", 'drop table files'],
  ['left & right', 'left right', 'right & left'],
  ['!negated', 'negated'],
  ['word:*', 'words'],
  ['near<->far', 'near far'],
  ['-minus', 'minus'],
  ['+plus', 'plus'],
  ['not'],
  ['the'],
  ['two  blanks', 'two blanks', 'two   blanks'],
  ['tab\tbed', 'tab bed', 'tabbed'],
  [' blank before', 'ablank before'],
  ['blank after ', 'blank afterwards'],
  ['\u{1f600}smile\u{1f600}', '\u{1f601}smile\u{1f600}', 'smile'],
  ['\u6f22\u5b57\u691c', '\u6f22\u5b57\u9a13', '\u6f22\u5b57'],
  ['\u043f\u0440\u0438\u0432\u0435\u0442', '\u043f\u0440\u0438\u0432\u0435\u0434'],
  ['\ud55c\uad6d\uc5b4', '\ud55c\uad6d\uc73c'],
  ['\u0e44\u0e17\u0e22\u0e01', '\u0e44\u0e17\u0e22\u0e02'],
  ['cafe\u0301 cre\u0300me', 'cafe creme'],
  ['q\u0308z\u0308abc', 'qzabc'],
  ['stra\u00dfe', 'strasse'],
  ['\u0130stanbul', 'istanbul'],
  ['zero\u200bwidth', 'zerowidth', 'zero width'],
  ['bell\u0007rings', 'bell rings', 'bellrings'],
  ['\ufffdreplaced', 'replaced'],
  ['a==>bcd', 'a=>bcd'],
  ['exactly-'.repeat(32), 'exactly-'.repeat(31)],
];

export const matchingChecks = [
  check('a term is found literally, whatever its characters mean to a query language', async (given) => {
    const { write, paths } = given;
    await write({
      files: literal.flatMap(([term, ...decoys], at) => [
        file(`hit-${at}`, `before\nfirst ${term} last\nafter`),
        ...decoys.map((decoy, next) => file(`decoy-${at}-${next}`, `before\n${decoy}\nafter`)),
      ]),
    });
    for (const [at, [term]] of literal.entries())
      await given.eventually(async () => {
        const found = await paths({ terms: [folded(term)] });
        const own = found.filter((path) => path === `hit-${at}` || path.startsWith(`decoy-${at}-`));
        assert.deepEqual(own, [`hit-${at}`], JSON.stringify(term));
      });
  }),

  check('a term is found in any case, at both ends of a text, and inside of words', async (given) => {
    const { word, write, paths } = given;
    await write({
      files: [
        file('begins', `${word.toUpperCase()}abc`),
        file('ends', `abc${word}`),
        file('is', word),
        file('inside', `abc\n\n\tx${word}y\n`),
        file('other', word.slice(0, -1)),
        file('cut', `${word.slice(0, -1)}\n${word.slice(-1)}`),
      ],
    });
    await given.becomesSet(() => paths({ terms: [word] }), ['begins', 'ends', 'inside', 'is']);
    await given.becomesSet(() => paths({ terms: [`x${word}y`] }), ['inside']);
  }),

  check('a file matches if every term is in any of its lines or in its path', async (given) => {
    const { word, write, paths } = given;
    const terms = [`${word}one`, `${word}two`, `${word}three`];
    await write({
      files: [
        file('all', `${terms.join('\n')}\n`),
        file('reversed', terms.toReversed().join(' ')),
        file(`docs/${word}One.md`, terms.slice(1).join('\n'.repeat(50))),
        file(terms.join('/'), 'nothing'),
        file('lacking', terms.slice(1).join('\n')),
        file('none', word),
      ],
    });
    const expected = ['all', 'reversed', `docs/${word}One.md`, terms.join('/')];
    await given.becomesSet(() => paths({ terms }), expected);
    await given.becomesSet(() => paths({ terms: terms.toReversed() }), expected);
    await given.becomesSet(() => paths({ terms: [...terms, ...terms] }), expected);
  }),

  check('a term matches within one line only', async (given) => {
    const { word, write, paths } = given;
    await write({
      files: [
        file('split', `${word}left\n${word}right\r\n${word}end`),
        file('joined', `${word}left${word}right${word}end`),
        file('spaced', `${word}left ${word}right ${word}end`),
      ],
    });
    await given.becomes(() => paths({ terms: [`${word}left${word}right`] }), ['joined']);
    await given.becomes(() => paths({ terms: [`${word}left ${word}right`] }), ['spaced']);
    await given.becomes(() => paths({ terms: [`${word}right${word}end`] }), ['joined']);
    await given.becomesSet(() => paths({ terms: [`${word}left`, `${word}end`] }), ['split', 'joined', 'spaced']);
  }),

  check('a term matches the whole path, folded, and the path is returned unchanged', async (given) => {
    const { word, write, paths } = given;
    const path = `Src/${word.toUpperCase()}/Caf\u0065\u0301-100%_[x].TS`;
    await write({ files: [file(path), file(`Src/${word}/other`), file('Src/none')] });
    for (const term of [`src/${word}/caf\u00e9`, `${word}/caf\u00e9-100%_[x].ts`, '100%_[x]', '\u00e9-100%'])
      await given.becomes(() => paths({ terms: [term] }), [path], term);
    await given.becomesSet(() => paths({ terms: [`src/${word}/`] }), [path, `Src/${word}/other`]);
    await given.becomes(() => paths({ terms: [`${word}/cafe-100`] }), []);
  }),

  check('short terms are required, too, and are literal', async (given) => {
    const { word, write, paths } = given;
    const short = ['=>', '%', '_', '\\', "'", '"', '*', '?', '.', '(', '[', '\u6f22', '\u{1f600}', '\u00e9', '==='];
    await write({
      files: [
        file('all', `${word}\n${short.join(' ')}`),
        file('none', word),
        file('zq', word),
        ...short.map((one, at) => file(`without-${at}`, `${word}\n${short.filter((two) => two !== one).join(' ')}`)),
      ],
    });
    await given.becomesSet(() => paths({ terms: [word], short: ['zq'] }), ['zq']);
    const without = short.map((_, at) => `without-${at}`);
    await given.becomesSet(() => paths({ terms: [word], short: [] }), ['all', 'none', 'zq', ...without]);
    for (const [at, one] of short.entries())
      await given.becomesSet(() => paths({ terms: [word], short: [one] }), ['all', ...without.toSpliced(at, 1)], one);
    await given.becomes(() => paths({ terms: [word], short }), ['all']);
  }),

  check('sixteen terms and sixteen short ones of the greatest length are found', async (given) => {
    const { word, write, paths } = given;
    const terms = Array.from({ length: 16 }, (_, at) => `${word}${at}`.padEnd(256, 'abc-'));
    const short = Array.from({ length: 16 }, (_, at) => `#${at}`);
    await write({
      files: [
        file('all', [...terms, ...short].join('\n')),
        file('fewer', [...terms.slice(1), ...short].join('\n')),
        file('shorter', [...terms.map((term) => term.slice(0, -1)), ...short].join('\n')),
      ],
    });
    await given.becomes(() => paths({ terms, short }), ['all']);
  }),

  check('languages filter by any of them, paths by all of them', async (given) => {
    const { word, write, paths } = given;
    await write({
      files: ['src/A.ts', 'src/b.js', 'src/c.py', 'lib/a.ts', 'LICENSE', 'src/100%_x.ts'].map((path) =>
        file(path, word),
      ),
    });
    const terms = [word];
    await given.becomesSet(
      () => paths({ terms, languages: ['typescript'] }),
      ['src/A.ts', 'lib/a.ts', 'src/100%_x.ts'],
    );
    await given.becomesSet(
      () => paths({ terms, languages: ['javascript', 'python', 'unknown'] }),
      ['src/b.js', 'src/c.py'],
    );
    await given.becomesSet(() => paths({ terms, languages: ['Type%', 'unknown'] }), []);
    await given.becomesSet(
      () => paths({ terms, paths: ['src/'] }),
      ['src/A.ts', 'src/b.js', 'src/c.py', 'src/100%_x.ts'],
    );
    await given.becomesSet(() => paths({ terms, paths: ['a.ts'] }), ['src/A.ts', 'lib/a.ts']);
    await given.becomesSet(() => paths({ terms, paths: ['src', 'a.ts'] }), ['src/A.ts']);
    await given.becomesSet(() => paths({ terms, paths: ['%'] }), ['src/100%_x.ts']);
    await given.becomesSet(() => paths({ terms, paths: ['_'] }), ['src/100%_x.ts']);
    await given.becomesSet(() => paths({ terms, paths: ['s*c'] }), []);
    await given.becomesSet(() => paths({ terms, paths: ['license'] }), ['LICENSE']);
    await given.becomesSet(() => paths({ terms, paths: ['src'], languages: ['python'] }), ['src/c.py']);
    await given.becomesSet(() => paths({ terms, paths: ['a.ts'], languages: ['python'] }), []);
  }),

  check('a hit has the oid, the path and the language of the file', async (given) => {
    const { word, write, files, repository } = given;
    const made = [file('src/a.ts', word), file('empty.weird'), file('b', word)];
    await write({ files: made });
    for (const [terms, expected] of [
      [[word, 'a.ts'], made[0]],
      [['empty.weird'], made[1]],
    ] as const)
      await given.eventually(async () => {
        const { hits } = await files({ terms });
        assert.deepEqual(
          hits.map(({ score: _, ...hit }) => hit),
          [{ repositoryId: repository, path: expected?.path, oid: expected?.oid, language: expected?.language }],
        );
      });
  }),
];
