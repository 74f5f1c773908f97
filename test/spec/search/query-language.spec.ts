// The query language: words, phrases, filters, and characters that mean something elsewhere.
import t, { type Test } from 'tap';
import { sharedForge } from '#test/support/shared-forge';
import { checkout, eventually, filesOf, issue, pathsOf, people, search, type World } from './world.ts';

/** Each query with the paths that it finds. */
type Table = readonly (readonly [q: string, paths: readonly string[], why?: string])[];

async function finds(t: Test, { alice }: World, table: Table): Promise<void> {
  for (const [q, paths, why = ''] of table)
    t.strictSame(pathsOf((await search(alice, q)).code).toSorted(), paths.toSorted(), `${q}  ${why}`);
}

void t.test('searches of files', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { push } = await checkout(t, world, 'Tool.box');
  const other = await checkout(t, world, 'other');
  await push({
    'src/config.ts': 'export function parseConfig(text) {\n  return "not found";\n}\n',
    'src/config.js': 'const parseConfig = 1; // found, not\n',
    'src/main.go': 'package main\nfunc parseConfig() {}\n',
    'src/main.py': 'def parse_config(): pass\n',
    'src/run.sh': 'echo percent 100%done\n',
    'lib/a.cs': 'class Percent { /* 100_done */ }\n',
    'lib/b.cpp': 'int percent; // 1009done\n',
    'lib/esc.txt': 'a back\\slash and a \\%wild "quoted text" it\'s [regex.*] (x|y)? {$1}\n',
    'lib/Case.TXT': 'MiXeD Case ÄÖÜ STRASSE\n',
    'lib/nfd.txt': 'cafe\u0301 noir\n',
    'lib/lines.txt': 'alpha\nbravo\ncharlie delta\n',
    'lib/short.txt': 'if (a) go to x; id = db.q;\n',
    'lib/cjk.txt': '検索エンジンの設計\n',
  });
  await other.push({ 'src/other.ts': 'parseConfig();\n' });
  await filesOf(world.alice, 'parseConfig path:src', 'src/config.ts', 'src/config.js', 'src/main.go', 'src/other.ts');

  await t.test('words, in any order and on any lines', (t) =>
    finds(t, world, [
      ['alpha charlie', ['lib/lines.txt']],
      ['charlie alpha', ['lib/lines.txt']],
      ['alpha zulu', []],
      ['bravo path:lines', ['lib/lines.txt']],
      ['lines alpha', ['lib/lines.txt'], 'a word of the path'],
      ['rseCon go', ['src/main.go'], 'parts of words, and of paths'],
      ['alpha alpha alpha', ['lib/lines.txt']],
    ]),
  );
  await t.test('phrases, within one line', (t) =>
    finds(t, world, [
      ['"not found"', ['src/config.ts']],
      ['"found, not"', ['src/config.js']],
      ['"charlie delta"', ['lib/lines.txt']],
      ['"alpha bravo"', []],
      ['"charlie delta', ['lib/lines.txt'], 'without an end'],
      ['"charlie   delta"', ['lib/lines.txt'], 'blanks in a row count as one in the query'],
      ['""alpha""', [], 'a quote in a word is a character'],
    ]),
  );
  await t.test('lang:, with synonyms', (t) =>
    finds(t, world, [
      ['parseConfig lang:typescript', ['src/config.ts', 'src/other.ts']],
      ['parseConfig lang:ts', ['src/config.ts', 'src/other.ts']],
      ['parseConfig language:TypeScript', ['src/config.ts', 'src/other.ts']],
      ['lang:golang parseConfig', ['src/main.go']],
      ['lang:go lang:js parseConfig', ['src/main.go', 'src/config.js'], 'one of them'],
      ['config lang:py', ['src/main.py']],
      ['percent lang:sh', ['src/run.sh']],
      ['percent lang:c#', ['lib/a.cs']],
      ['percent lang:c++', ['lib/b.cpp']],
      ['percent lang:"c++"', ['lib/b.cpp']],
      ['parseConfig lang:klingon', []],
      ['parseConfig lang:__proto__', []],
      ['parseConfig lang:constructor', []],
      ['parseConfig LANG:go', [], 'filters are lower case; this is a word'],
    ]),
  );
  await t.test('path: and repo:', (t) =>
    finds(t, world, [
      ['parseConfig path:config', ['src/config.ts', 'src/config.js']],
      ['parseConfig path:config path:.ts', ['src/config.ts'], 'all of them'],
      ['parseConfig path:SRC/CONFIG.TS', ['src/config.ts']],
      ['parseConfig path:"src/config.ts"', ['src/config.ts']],
      ['parseConfig path:src/%', []],
      ['parseConfig path:src_config', []],
      ['parseConfig repo:alice/other', ['src/other.ts']],
      ['parseConfig repo:ALICE/OTHER', ['src/other.ts']],
      ['parseConfig repo:alice/tool.BOX path:main', ['src/main.go']],
      ['parseConfig repo:alice/other repo:alice/tool.box path:.ts', ['src/other.ts', 'src/config.ts'], 'one of them'],
      ['parseConfig repo:alice/none', []],
      ['parseConfig repo:other', []],
      ['parseConfig repo:alice/', []],
      ['path:config', [], 'a filter without a word'],
    ]),
  );
  await t.test('characters are literal', (t) =>
    finds(t, world, [
      ['100%done', ['src/run.sh']],
      ['100_done', ['lib/a.cs']],
      ['100%', ['src/run.sh']],
      ['100%9', []],
      ['%percent', []],
      ['back\\slash', ['lib/esc.txt']],
      ['\\%wild', ['lib/esc.txt']],
      ['\\wild', []],
      [String.raw`"\"quoted text\""`, ['lib/esc.txt']],
      [String.raw`"back\\slash"`, ['lib/esc.txt']],
      ["it's wild", ['lib/esc.txt']],
      ['[regex.*]', ['lib/esc.txt']],
      ['rege.*', []],
      ['wild (x|y)? {$1}', ['lib/esc.txt']],
      ['https://example', []],
      ['foo:bar parseConfig', [], 'no filter, so a word'],
    ]),
  );
  await t.test('case and composed letters do not matter', (t) =>
    finds(t, world, [
      ['PARSECONFIG path:go', ['src/main.go']],
      ['mixed CASE', ['lib/Case.TXT']],
      ['äöü', ['lib/Case.TXT']],
      ['ÄÖÜ strasse', ['lib/Case.TXT']],
      ['caf\u00e9', ['lib/nfd.txt']],
      ['cafe\u0301 noir', ['lib/nfd.txt']],
      ['検索エンジン', ['lib/cjk.txt']],
    ]),
  );
  await t.test('short words count beside longer ones, and find no files alone', (t) =>
    finds(t, world, [
      ['if', []],
      ['go to', []],
      ['short if db', ['lib/short.txt']],
      ['short zz', []],
      ['short (a)', ['lib/short.txt']],
    ]),
  );
  await t.test('symbols: by whole names first, then beginnings, then parts', async (t) => {
    const { symbols } = await search(world.alice, 'parseconfig');
    t.strictSame(
      symbols.hits.map(({ source }) => [source['name'], source['path']]),
      [
        ['parseConfig', 'src/main.go'],
        ['parseConfig', 'src/config.js'],
        ['parseConfig', 'src/config.ts'],
      ],
    );
    t.equal((await search(world.alice, 'Config')).symbols.total, 4, 'parts');
    t.equal((await search(world.alice, 'Config lang:py')).symbols.hits[0]?.source['name'], 'parse_config');
  });
});

void t.test('searches of issues: words and phrases of words', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { alice } = world;
  const { push } = await checkout(t, world, 'code');
  await push({ 'a.txt': 'a\n' });
  for (const [title, description] of [
    ['The login fails', 'When I press the Enter key, 100% of the time.'],
    ['Key is lost', 'enter the house: login_name is "root"'],
    ['Überlauf in foo.bar()', '検索'],
  ] as const)
    await issue(alice, 'alice/code', title, description);
  await eventually(
    () => search(alice, 'key login'),
    ({ issues }) => issues.total === 2,
  );
  await eventually(
    () => search(alice, 'überlauf'),
    ({ issues }) => issues.total === 1,
  );
  for (const [q, numbers] of [
    ['login', [1, 2]],
    ['LOGIN key', [1, 2]],
    ['"enter key"', [1]],
    ['"key enter"', []],
    ['"enter the house"', [2]],
    ['log', []],
    ['login_name', [2]],
    ['root', [2]],
    ['100%', [1]],
    ['foo.bar()', [3]],
    ['ÜBERLAUF', [3]],
    ['U\u0308berlauf', [3]],
    ['検索', [3]],
    ['login repo:alice/code', [1, 2]],
    ['login repo:alice/other', []],
    ['& | ! <-> :*', []],
    ['login & !key', [1, 2]],
  ] as const) {
    const { issues } = await search(alice, q);
    t.strictSame(issues.hits.map(({ source }) => source['number']).toSorted(), [...numbers], q);
  }
});
