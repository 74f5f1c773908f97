// GET /api/v1/search: its parameters, and the shape of its answers.
import t, { type Test } from 'tap';
import type { Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import type { TestForge } from '#test/support/forge';
import { sharedForge } from '#test/support/shared-forge';
import {
  ask,
  checkout,
  empty,
  eventually,
  expect,
  issue,
  mergeRequest,
  pathsOf,
  people,
  repos,
  search,
  setDocs,
  type Sections,
} from './world.ts';

const names = ['code', 'symbols', 'issues', 'mrs', 'docs'] as const;
const uuid = /^[0-9a-f-]{36}/;

/** A repository in which 25 files, 22 issues, two merge requests and a document contain `needle`. */
async function haystack(t: Test): Promise<{ readonly forge: TestForge; readonly alice: Client }> {
  const world = await people(t, await sharedForge(t));
  const { forge, alice } = world;
  const { push } = await checkout(t, world, 'Hay.stack');
  await push({
    'src/needle.ts': '// One\nexport function needle(text: string) {\n  return text;\n}\n',
    'README.md': '# The hay\n\nFind the *needle* here.\n',
    ...Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`text/${at}.txt`, `a needle ${at}\n`])),
  });
  for (let at = 1; at <= 22; at += 1)
    await issue(alice, 'alice/Hay.stack', at === 1 ? 'Needle needle' : `Issue ${at}`, 'The needle is lost');
  await mergeRequest(alice, 'alice/Hay.stack', 'one', 'Find a needle', 'In the hay');
  await mergeRequest(alice, 'alice/Hay.stack', 'two', 'Another needle');
  await setDocs(forge, 'alice/hay.STACK');
  await eventually(
    () => search(alice, 'needle', { types: 'code,symbols,issues,mrs,docs' }),
    ({ code, symbols, issues, mrs, docs }) =>
      [code, symbols, issues, mrs, docs].map(({ total }) => total).join() === '25,1,22,2,1',
  );
  t.teardown(() => setDocs(forge, ''));
  return { forge, alice };
}

void t.test('the parameters and the answers', async (t) => {
  const { forge, alice } = await haystack(t);
  const counts = async (more: Readonly<Record<string, string>>): Promise<readonly number[]> => {
    const found = await search(alice, 'needle', more);
    return names.map((name) => found[name].hits.length);
  };

  await t.test('q: missing, empty, blank and too long texts are 400 with the envelope', async (t) => {
    isError(t, await alice.get('/api/v1/search'), 400, 'validation_failed', 'missing');
    for (const q of ['', ' ', '\t\n', '\u0000', '\u00a0\u3000', 'a'.repeat(1001), '😀'.repeat(1001)])
      isError(t, await ask(alice, q), 400, 'validation_failed', JSON.stringify(q).slice(0, 20));
    for (const q of ['a'.repeat(1000), '😀'.repeat(1000), ` ${'a'.repeat(1000)} `])
      t.equal((await ask(alice, q)).status, 200, 'characters are code points, without blanks around');
  });

  await t.test('types: the default, unknown, repeated and blank names', async (t) => {
    const usual = [20, 1, 20, 2, 0];
    t.strictSame(await counts({}), usual, 'docs are opt-in');
    t.strictSame(await counts({ types: '' }), usual);
    t.strictSame(await counts({ types: 'docs' }), [0, 0, 0, 0, 1]);
    t.strictSame(await counts({ types: 'code,docs' }), [20, 0, 0, 0, 1]);
    t.strictSame(await counts({ types: 'issues,pages,__proto__,constructor' }), [0, 0, 20, 0, 0], 'unknown: ignored');
    t.strictSame(await counts({ types: 'pages,wiki' }), [0, 0, 0, 0, 0], 'all unknown');
    t.strictSame(await counts({ types: 'mrs,mrs,mrs' }), [0, 0, 0, 2, 0], 'repeated');
    t.strictSame(await counts({ types: ' symbols , mrs ' }), [0, 1, 0, 2, 0], 'with blanks');
    t.strictSame(await counts({ types: ',,,' }), [0, 0, 0, 0, 0]);
    t.strictSame(await counts({ types: 'CODE' }), [0, 0, 0, 0, 0], 'names are lower case');
  });

  await t.test('limit: 1 to 100 for each section; 20 for 0 and for what is no integer', async (t) => {
    for (const [limit, code, issues] of [
      ['1', 1, 1],
      ['21', 21, 21],
      ['100', 25, 22],
      ['101', 25, 22],
      ['99999999999999999999999999', 25, 22],
      ['0', 20, 20],
      ['-0', 20, 20],
      ['-1', 1, 1],
      ['-99999999999999999999999999', 1, 1],
      ['', 20, 20],
      ['ten', 20, 20],
      ['1.5', 20, 20],
      ['1e1', 20, 20],
      ['0x10', 20, 20],
      ['NaN', 20, 20],
      ['Infinity', 20, 20],
      ['5 ', 20, 20],
      ['٣', 20, 20],
    ] as const) {
      const [files, , found] = await counts({ limit });
      t.strictSame([files, found], [code, issues], JSON.stringify(limit));
    }
    const { code, issues } = await search(alice, 'needle', { limit: '1' });
    t.strictSame([code.total, issues.total], [25, 22], 'totals count all matches');
  });

  await t.test('sort: recent orders issues and merge requests; every other value is relevance', async (t) => {
    const first = async (sort: string): Promise<readonly unknown[]> => {
      const { code, issues, mrs } = await search(alice, 'needle', { sort });
      return [pathsOf(code)[0], issues.hits[0]?.source['number'], mrs.hits[0]?.source['number']];
    };
    t.strictSame(await first('recent'), ['src/needle.ts', 22, 2]);
    const relevant = await first('relevance');
    t.strictSame(relevant.slice(0, 2), ['src/needle.ts', 1], 'a title weighs more than a text');
    for (const sort of ['', 'Recent', 'newest', 'stars,recent', '💥'])
      t.strictSame(await first(sort), relevant, JSON.stringify(sort));
  });

  await t.test('a hit has id, score and the source of its section', async (t) => {
    const { code, symbols, issues, mrs, docs } = await search(alice, 'needle', { types: names.join() });
    const repository = { repo_owner: 'alice', repo_name: 'Hay.stack' };
    t.strictSame(code.hits[0]?.source, {
      ...repository,
      path: 'src/needle.ts',
      lang: 'typescript',
      line: 2,
      snippet: '// One\nexport function needle(text: string) {\n  return text;',
    });
    t.strictSame(symbols.hits[0]?.source, {
      ...repository,
      path: 'src/needle.ts',
      lang: 'typescript',
      name: 'needle',
      kind: 'function',
      line: 2,
      signature: 'export function needle(text: string) {',
    });
    const { updated_at: _, ...firstIssue } = issues.hits.find(({ source }) => source['number'] === 1)?.source ?? {};
    t.strictSame(firstIssue, {
      ...repository,
      number: 1,
      title: 'Needle needle',
      state: 'open',
      snippet: 'The needle is lost',
    });
    const { updated_at: at, ...request } = mrs.hits.find(({ source }) => source['number'] === 1)?.source ?? {};
    t.strictSame(request, {
      ...repository,
      number: 1,
      title: 'Find a needle',
      state: 'open',
      snippet: 'In the hay',
    });
    t.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, 'RFC 3339 in UTC');
    t.strictSame(docs.hits[0]?.source, {
      ...repository,
      path: 'README.md',
      title: 'The hay',
      snippet: 'The hay Find the needle here.',
    });
    for (const { hits } of [code, symbols, issues, mrs, docs]) {
      t.strictSame(new Set(hits.map((hit) => Object.keys(hit).toSorted().join())), new Set(['id,score,source']));
      for (const { id, score } of hits) t.ok(uuid.test(id) && Number.isFinite(score), `${id} ${score}`);
      t.equal(new Set(hits.map(({ id }) => id)).size, hits.length, 'ids are unique');
      const scores = hits.map(({ score }) => score);
      t.strictSame(
        scores,
        scores.toSorted((one, other) => other - one),
        'best first',
      );
    }
  });

  await t.test('always five sections with arrays, and no fallback of a healthy back end', async (t) => {
    for (const more of [{}, { types: 'docs' }, { types: 'none' }] as Readonly<Record<string, string>>[]) {
      const answer = expect(await ask(alice, 'absent-everywhere', more), 200);
      t.strictSame(answer.body, Object.fromEntries(names.map((name) => [name, empty])));
      t.equal(answer.headers.get('x-search-fallback'), null);
      t.strictSame(Object.keys(answer.body as Sections), names, 'in this order');
    }
    t.equal((await ask(alice, 'needle')).headers.get('x-search-fallback'), null);
    t.equal((await ask(alice, 'lang:go')).headers.get('x-search-fallback'), null, 'a filter alone');
  });

  await t.test('unknown parameters are ignored; a repeated one is 200 or 400; HEAD has no body', async (t) => {
    t.strictSame(await counts({ page: '9', repo: 'x', 'q[]': 'y', __proto__: 'z' }), [20, 1, 20, 2, 0]);
    for (const query of ['q=needle&q=hay', 'q=needle&limit=1&limit=2', 'q=needle&types=code&types=mrs&sort=a&sort=b'])
      t.match((await alice.get(`/api/v1/search?${query}`)).status, /^(?:200|400)$/, query);
    const head = await alice.request('HEAD', '/api/v1/search?q=needle');
    t.strictSame([head.status, head.bytes.length], [200, 0]);
    t.equal((await alice.request('HEAD', '/api/v1/search?q=')).status, 400);
  });

  await t.test('an anonymous caller is 401 with a challenge, on all three operations', async (t) => {
    for (const path of ['search', 'search/code', 'search/suggest'])
      for (const q of ['needle', '']) {
        const answer = await forge.anonymous.get(`/api/v1/${path}?q=${q}`);
        isError(t, answer, 401, 'unauthorized', path);
        t.match(answer.headers.get('www-authenticate'), /^Bearer/);
      }
  });

  await t.test('a repository that is renamed is found under its new name', async (t) => {
    expect(await alice.patch(`${repos}/alice/Hay.stack`, { body: { name: 'haystack' } }), 200);
    const { code, issues } = await search(alice, 'needle', { limit: '1' });
    t.strictSame(
      [code.hits[0]?.source['repo_name'], issues.hits[0]?.source['repo_name'], code.total, issues.total],
      ['haystack', 'haystack', 25, 22],
      'at once',
    );
  });
});
