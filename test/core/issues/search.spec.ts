// Searching issues on in-memory stores: parsing of queries, similar titles and facets.
import t from 'tap';
import { searchBounds, searchedWords, waysOf } from '#core/issues/lists/search';
import { anonymous } from '#core/kernel/caller';
import { bob, refusal, types, world } from './world.ts';

void t.test('a query is searched by its words, then by similar titles', async (t) => {
  for (const [q, words, near] of [
    ['Login fails', 'login fails', 'login fails'],
    ['foo-bar.ts <main>', 'foo bar ts main', 'foo bar ts main'],
    ['--a - b-', 'a b', 'a b'],
    ['C++ & 日本語', 'c 日本語', 'c 日本語'],
    ["o'neil\u0000%_", 'o neil', 'o neil'],
    ['oracle for', 'oracle for', 'oracle for'],
    // A query with operators is used as written.
    ['"login fails" -page', '"login fails" -page'],
    ['-"b c" a', '-"b c" a'],
    ['a OR b', 'a or b'],
    ['a or -b', 'a -b'],
  ] as const)
    t.strictSame(
      waysOf(q).map(({ way, text }) => [way, text.replace(/ +/g, ' ')]),
      [['words', words], ...(near === undefined ? [] : [['near', near]])],
      q,
    );
  for (const q of ['%', '"', '-', '-a', '-"a b', 'or', 'OR or', '()&|!', '\u0000', '\ud800', '-a -b or -c'])
    t.strictSame(waysOf(q), [], `without a word: ${JSON.stringify(q)}`);
});

void t.test('words beyond the limit are ignored', async (t) => {
  const most = searchBounds.words;
  const many = Array.from({ length: searchBounds.query / 2 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const counted = (text: string) => text.match(/[\p{L}\p{N}]+/gu)?.length;
  for (const q of [many.join(' '), `"${many.join(' ')}"`, many.join(' or '), `-${many.join(' -')} a`])
    for (const { way, text } of waysOf(q)) t.equal(counted(text), most, `${way}: ${q.slice(0, 20)}`);
  t.equal(waysOf(many.slice(0, most).join(' '))[0]?.text, many.slice(0, most).join(' '));
  t.equal(searchedWords(many.join(' ')), many.slice(0, most).join(' '), 'also in the filter of the list');
});

void t.test('similar titles are searched only if no issue has the words', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ title: 'Log' });
  await forge.open({ title: 'Login' });
  const granted = await forge.reading(anonymous);
  const find = async (q: string) =>
    (await forge.useCases.search(granted, { q, limit: 10 })).hits.map(({ number }) => number);
  t.strictSame(await find('log'), [1], 'a word');
  t.strictSame(await find('logi'), [2], 'similar to a word');
  t.strictSame(await find('absent'), []);
  await t.rejects(find(' '), refusal('validation_failed', /q/));
});

void t.test('facets: the most frequent first, labels by name, ten of each, and only if requested', async (t) => {
  const forge = await world();
  t.teardown(() => forge.close());
  await forge.open({ title: 'crash', labelIds: ['Bug-label', 'Later-label'], assigneeIds: [bob.id] });
  await forge.open({ title: 'crash', labelIds: ['Later-label'], typeId: types.bug });
  await forge.open({ title: 'crash' });
  const granted = await forge.reading(anonymous);
  const found = await forge.useCases.search(granted, { q: 'crash', limit: 1, facets: true });
  t.equal(found.hits.length, 1);
  t.strictSame(found.facets, {
    state: [{ value: 'open', count: 3 }],
    type: [
      { value: 'task', count: 2 },
      { value: 'bug', count: 1 },
    ],
    label: [
      { value: 'Later', count: 2 },
      { value: 'Bug', count: 1 },
    ],
    assignee: [{ value: 'bob', count: 1 }],
  });
  t.equal((await forge.useCases.search(granted, { q: 'crash', limit: 1 })).facets, undefined);
});

void t.test('without planning there are no label facets', async (t) => {
  const forge = await world({ planning: false });
  t.teardown(() => forge.close());
  await forge.open({ title: 'crash' });
  const { facets } = await forge.useCases.search(await forge.reading(anonymous), {
    q: 'crash',
    limit: 1,
    facets: true,
  });
  t.strictSame(facets?.label, []);
});
