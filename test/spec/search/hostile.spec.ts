// Searches that are made to fail or to be expensive: each answers 200 in the documented shape, or 400.
import t, { type Test } from 'tap';
import type { Answer } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { hostileTexts } from '#test/support/clients/hostile-texts';
import { sharedForge } from '#test/support/shared-forge';
import { checkout, filesOf, people, search, setDocs, type Section, type World } from './world.ts';

const many = (text: string, times: number): string => text.repeat(times);
const types = 'code,symbols,issues,mrs,docs';

/** Texts of searches, numbered in reports by their place. */
const queries: readonly string[] = [
  // 1: full text queries
  'walrus & seal',
  "'walrus':*",
  'walrus <-> seal',
  '!walrus',
  '!!!((',
  "walrus'::tsquery",
  ':* & :A',
  '\\:*',
  '<0>',
  '<99999>',
  // 11: patterns of LIKE
  '%%%',
  '___',
  '%walrus%',
  'walrus\\',
  '\\\\\\',
  '\\%\\_\\',
  // 17: quotes and filters without an end
  '"',
  '"walrus',
  '"\\',
  '"\\"',
  '"""""',
  'path:"',
  'path:"walrus" "',
  'path:',
  'lang: repo: path:',
  'repo:repo:repo:a/b',
  'path:path:path:"path:walrus"',
  'lang:lang:"lang:\\""',
  // 29: 1,000 characters of one kind
  many('a', 1000),
  many('walrus', 166),
  many('"', 1000),
  many('\\', 1000),
  many('%', 1000),
  many('_', 1000),
  many('漢', 1000),
  many('😀', 500),
  many('e\u0301', 500),
  many('\u0301', 1000),
  many('path:a ', 142),
  many('repo:a/b ', 111),
  many('lang:go ', 125),
  many('wal ', 250),
  many('ab ', 333),
  many('"wal rus" ', 100),
  many('a:', 500),
  `"${many('wal rus ', 124)}"`,
  // 47: characters
  '\u202ewalrus\u202c',
  'wal\u200brus \u200d\ufeff',
  'w\u0338a\u0338lrus',
  'ＷＡＬＲＵＳ',
  'ſtraße İstanbul ΑΣ',
  '\u0000walrus\u0000',
  'walrus\r\nX-Injected: yes\r\n\r\nbody',
  '\u0085\u2028\u2029walrus',
  // 55: names of JavaScript, SQL and patterns
  'lang:__proto__ walrus',
  'lang:constructor lang:toString walrus',
  '__proto__:x constructor:y hasOwnProperty:z',
  'repo:../../etc/passwd walrus',
  'repo:alice/%00 repo:/ repo:// repo:a/b/c walrus',
  "'; drop table search_sql_file; --",
  "walrus' or '1'='1",
  '$1 $2 {0} ${walrus} $$walrus$$',
  '(a+)+$ walrus',
  '(?:(?:a*)*)*b [a-z]{1,99999}',
  '-walrus OR seal NOT (a AND b)',
  '{"query":{"match_all":{}}} walrus~2 wal*us wal?us',
];

/** Queries in their encoded form, for bytes that URLSearchParams cannot write. */
const raw: readonly string[] = [
  'q=%ED%A0%80',
  'q=walrus%ED%B0%80',
  'q=%FF%FE%80',
  'q=%00%00walrus',
  'q=%',
  'q=%zz',
  'q=walrus&q=seal',
  'q[]=walrus',
  'q[$ne]=walrus',
  'q=walrus&types=code&types=__proto__',
  'q=walrus&limit[]=1&sort[a]=b',
  `q=walrus&types=${many('code,', 1000)}`,
  `q=walrus&limit=${many('9', 5000)}`,
  `q=walrus&sort=${many('recent', 500)}`,
  `q=${many('a', 8000)}`,
  `q=walrus&${Array.from({ length: 500 }, (_, at) => `p${at}=${at}`).join('&')}`,
  'q=walrus;types=code',
  'q=walrus#fragment',
  'q=walrus%0d%0aSet-Cookie:%20a=b',
  'Q=walrus&q=+%20+walrus+',
];

function isBounded(t: Test, { status, headers, body, text }: Answer, what: string): void {
  t.notOk(headers.has('x-injected') || headers.has('set-cookie'), what);
  if (status === 400) return isError(t, { status, headers, body, text } as Answer, 400, 'validation_failed', what);
  t.strictSame([status, headers.get('x-search-fallback')], [200, null], `${what}: ${text.slice(0, 300)}`);
  for (const [name, { total, hits }] of Object.entries((body ?? {}) as Readonly<Record<string, Section>>))
    t.ok(Number.isInteger(total) && total >= hits.length && hits.length <= 20, `${what}: ${name}`);
}

async function inhabited(t: Test): Promise<World> {
  const world = await people(t, await sharedForge(t));
  const { push } = await checkout(t, world, 'code');
  t.teardown(() => setDocs(world.forge, ''));
  await push({ 'walrus.ts': 'export function walrus(seal: string) {}\n', 'README.md': '# A walrus\n\nand a seal\n' });
  await setDocs(world.forge, 'alice/code');
  await filesOf(world.alice, 'walrus', 'walrus.ts', 'README.md');
  return world;
}

void t.test(`${queries.length + raw.length + hostileTexts.length} hostile searches`, async (t) => {
  const { alice } = await inhabited(t);
  const all = [...queries, ...hostileTexts].map((q) => new URLSearchParams({ q: q.toWellFormed(), types }).toString());
  for (const [at, query] of [...all, ...raw].entries()) {
    const slow: string[] = [];
    for (const path of ['search', 'search/code', 'search/suggest']) {
      const began = performance.now();
      const answer = await alice.get(`/api/v1/${path}?${query}`);
      const took = performance.now() - began;
      if (took > 200) slow.push(`${path} ${took.toFixed(0)} ms`);
      const what = `${at + 1} ${path} ${query.slice(0, 60)}`;
      if (path !== 'search/suggest') isBounded(t, path === 'search' ? answer : sectionIn(answer), what);
      else t.match(answer.status, /^(?:200|400)$/, `${what}: ${answer.text.slice(0, 300)}`);
    }
    if (slow.length > 0) t.comment(`${at + 1}: ${slow.join(', ')}: ${query.slice(0, 60)}`);
  }
  t.equal((await search(alice, 'walrus')).code.total, 2, 'and the search still answers');
});

/** The code section as if it were a section of a search. */
const sectionIn = (answer: Answer): Answer =>
  answer.status === 200 ? { ...answer, body: { code: answer.body as Section } } : answer;
