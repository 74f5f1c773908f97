// GET /api/v1/search/code and /api/v1/search/suggest, which are deprecated.
import t from 'tap';
import type { Answer, Client } from '#test/support/clients/client';
import { isError } from '#test/support/clients/error-answer';
import { sharedForge } from '#test/support/shared-forge';
import { checkout, empty, expect, filesOf, people, search, type Section } from './world.ts';

interface Suggestions {
  readonly suggestions: readonly { readonly type: string; readonly text: string; readonly path: string }[];
}

void t.test('the deprecated operations', async (t) => {
  const world = await people(t, await sharedForge(t));
  const { forge, alice, bob } = world;
  const { push } = await checkout(t, world, 'parser', { visibility: 'private' });
  await push({
    'src/parser.ts': 'const a = 1;\nexport class Parser {}\nexport function parserOf() {}\n',
    'docs/a b#c.txt': 'the parser\n',
    ...Object.fromEntries(Array.from({ length: 22 }, (_, at) => [`many/${at}.txt`, 'the parser\n'])),
  });
  await filesOf(alice, 'parser path:docs', 'docs/a b#c.txt');
  const code = (client: Client, q: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    client.get(`/api/v1/search/code?${new URLSearchParams({ q, ...more })}`);
  const suggest = (client: Client, q: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    client.get(`/api/v1/search/suggest?${new URLSearchParams({ q, ...more })}`);

  await t.test('both have Deprecation, Link to their successor, and no fallback of a healthy back end', async (t) => {
    for (const { headers } of [expect(await code(alice, 'parser'), 200), expect(await suggest(alice, 'parser'), 200)]) {
      t.equal(headers.get('deprecation'), 'true');
      t.equal(headers.get('link'), `<${forge.url}/api/v1/search>; rel="successor-version"`);
      t.equal(headers.get('x-search-fallback'), null);
    }
    t.equal((await alice.get('/api/v1/search?q=parser')).headers.get('deprecation'), null);
  });

  await t.test('search/code answers the code section, with the same limits', async (t) => {
    const answer = expect(await code(alice, 'parser'), 200).body as Section;
    t.strictSame(answer, (await search(alice, 'parser')).code);
    t.strictSame(Object.keys(answer), ['total', 'hits']);
    const hits = async (limit: string): Promise<number> =>
      ((await code(alice, 'parser', { limit })).body as Section).hits.length;
    t.strictSame(await Promise.all(['1', '0', 'x', '-1', '1000'].map(hits)), [1, 20, 20, 1, 24]);
    t.strictSame((await code(alice, 'absent')).body, empty);
    t.strictSame((await code(bob, 'parser')).body, empty, 'a private repository');
  });

  await t.test('search/suggest answers repositories, definitions and files', async (t) => {
    const { suggestions } = expect(await suggest(alice, 'parser'), 200).body as Suggestions;
    t.equal(suggestions.length, 20, 'the limit is for all of them');
    t.strictSame(suggestions.slice(0, 4), [
      { type: 'repository', text: 'alice/parser', path: '/alice/parser' },
      { type: 'symbol', text: 'Parser', path: '/alice/parser/-/blob/main/src/parser.ts#L2' },
      { type: 'symbol', text: 'parserOf', path: '/alice/parser/-/blob/main/src/parser.ts#L3' },
      { type: 'file', text: 'src/parser.ts', path: '/alice/parser/-/blob/main/src/parser.ts#L2' },
    ]);
    const one = expect(await suggest(alice, '"the parser" path:docs'), 200).body as Suggestions;
    t.strictSame(
      one.suggestions.filter(({ type }) => type === 'file'),
      [{ type: 'file', text: 'docs/a b#c.txt', path: '/alice/parser/-/blob/main/docs/a%20b%23c.txt#L1' }],
    );
    t.equal(((await suggest(alice, 'parser', { limit: '2' })).body as Suggestions).suggestions.length, 2);
    t.strictSame((await suggest(bob, 'parser')).body, { suggestions: [] }, 'a private repository');
    t.strictSame((await suggest(alice, 'absent-everywhere')).body, { suggestions: [] });
  });

  await t.test('an empty or too long text is 400', async (t) => {
    for (const operation of [code, suggest])
      for (const q of ['', '  ', 'a'.repeat(1001)])
        isError(t, await operation(alice, q), 400, 'validation_failed', q.slice(0, 5));
  });
});
