// Tests the page that finds repositories, and the cards of the dashboard.
import t from 'tap';
import { testHost, type TestHost } from '#host/sdk/testing';

const names = (html: string): readonly string[] =>
  [...html.matchAll(/<a href="\/[^"]*"><bdi>([^<]*)<\/bdi><\/a>/g)].map(([, name = '']) => name);

const make = async (forge: TestHost, owner: string, all: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, visibility] of Object.entries(all)) {
    forge.clock.advance(1000);
    const { status } = await forge.as(owner).post('/repos', { json: { name, visibility, description: `The ${name}` } });
    if (status !== 201) throw new Error(`POST /repos answered ${status}`);
  }
};

void t.test('the list is searched, filtered and sorted by its URL', async (t) => {
  await using forge = await testHost([]);
  await make(forge, 'alice', { zebra: 'public', apple: 'internal', mango: 'private' });
  await make(forge, 'bob', { melon: 'public' });
  const alice = forge.browser('alice');
  const found = async (query: string) => names((await alice.open(`/-/explore${query}`)).html);
  t.same(await found(''), ['bob/melon', 'alice/mango', 'alice/apple', 'alice/zebra']);
  t.same(await found('?sort=name'), ['alice/apple', 'alice/mango', 'bob/melon', 'alice/zebra']);
  t.same(await found('?q=THE+m'), ['bob/melon', 'alice/mango']);
  t.same(await found('?visibility=private&q=&sort='), ['alice/mango']);
  t.same(await found('?involved=true'), ['alice/mango', 'alice/apple', 'alice/zebra']);

  const page = await alice.open('/-/explore?q=the+m&sort=name&visibility=public');
  t.match(page.html, /name="q"\s+value="the m"/, 'the form shows its filters');
  t.match(page.html, /<option value="name" selected>[^]*|<option value="public" selected>/);
  const { html: nothing } = await alice.open('/-/explore?q=none');
  t.match(nothing, /No repository matches[^]*href="\/-\/explore"/);
  t.equal((await alice.open('/-/explore?sort=stars')).status, 400);

  const { html: anonymous } = await forge.browser().open('/-/explore');
  t.same(names(anonymous), ['bob/melon', 'alice/zebra']);
  t.notMatch(anonymous, /name="(?:visibility|involved)"/, 'filters without a choice are left out');
  t.equal((await forge.browser().open('/-/explore?involved=true')).path.split('?', 1)[0], '/-/sign-in');
});

void t.test('a long list has pages, which keep the filters', async (t) => {
  await using forge = await testHost([]);
  await make(forge, 'alice', Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`r${index}`, 'public'])));
  const browser = forge.browser();
  const first = await browser.open('/-/explore?q=alice');
  t.equal(names(first.html).length, 25);
  const [, next = ''] = /rel="next" href="([^"]*)"/.exec(first.html) ?? [];
  const second = await browser.open(next.replaceAll('&amp;', '&'));
  t.same(names(second.html), ['alice/r1', 'alice/r0']);
  t.match(second.html, /rel="prev"/);
  t.notMatch(second.html, /rel="next"/);
  t.match((await browser.open('/-/explore?page=9')).html, /No repository matches/, 'a page after the last one');

  const start = (await browser.open('/')).html;
  t.equal(names(start).length, 25);
  t.match(start, /<form[^>]*action="\/-\/explore"[^>]*role="search"/);
  t.match(start, /<a href="\/-\/explore">All repositories<\/a>/);
});

void t.test('the dashboard has the repositories that the user takes part in', async (t) => {
  await using forge = await testHost([]);
  await make(forge, 'alice', { open: 'public', shared: 'private', watched: 'internal', other: 'public' });
  const bob = forge.browser('bob');
  const card = async () =>
    /<h2>Repositories<\/h2>([^]*?)<\/section>/.exec((await bob.open('/')).html)?.[1] ?? 'no such card';
  t.match(await card(), /You take part in no repository yet[^]*href="\/-\/new"[^]*href="\/-\/explore"/);
  await forge.as('bob').put('/repos/alice/watched/subscription');
  await forge.as('alice').put('/repos/alice/shared/collaborators/bob', { json: { role: 'write' } });
  await make(forge, 'bob', { own: 'private' });
  t.same(names(await card()), ['bob/own', 'alice/watched', 'alice/shared']);
  t.notMatch(await card(), /All repositories/);
  await make(forge, 'bob', Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`r${index}`, 'private'])));
  t.equal(names(await card()).length, 10);
  t.match(await card(), /<a href="\/-\/explore\?involved=true">All repositories/);
});
