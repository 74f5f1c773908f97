// Contract checks for IssueSearchStore: which issues are found and in which order, facets, and that no query text
// fails.
import assert from 'node:assert/strict';
import { issueBounds, searchBounds, textShare, type IssueSearchStore, type SearchText } from '#core/issues/index';
import { hostileTexts } from '#test/support/clients/hostile-texts';
import type { Check } from '../checks.ts';
import { check, typeId, uuid, type IssueStoreUnderTest } from './issue-store.ts';

export interface IssueSearchUnderTest extends IssueStoreUnderTest {
  readonly searches: IssueSearchStore;
  /** Whether the store supports operators and misspelled words; the plain one does not. */
  readonly thorough?: boolean;
}

const words = (text: string): SearchText => ({ way: 'words', text });
const near = (text: string): SearchText => ({ way: 'near', text });

export const issueSearchChecks: readonly Check<IssueSearchUnderTest>[] = [
  check<IssueSearchUnderTest>('words are found in titles first, then in descriptions, newest first', async (given) => {
    const { searches, add, addRepository, ada, repository, thorough } = given;
    const numbers = async (text: SearchText, limit = 10) =>
      (await searches.search(repository, text, limit)).map(({ number }) => number);
    await add({ title: 'Login fails', description: 'The Server crashed: see <main> in src/sign-in-page.ts' });
    await add({ title: 'Server room', description: 'A crash, and the login after it' });
    await add({ title: 'Überlauf im Puffer', description: 'x'.repeat(50) });
    await add({ title: 'Login again', state: 'closed' });
    await add({ repositoryId: await addRepository(ada, 'other'), title: 'Login elsewhere' });
    assert.deepEqual(await numbers(words('login')), [4, 1, 2]);
    assert.deepEqual(await numbers(words('login'), 2), [4, 1]);
    assert.deepEqual((await numbers(words('server login'))).toSorted(), [1, 2], 'all words, in any text');
    assert.deepEqual(await numbers(words('überlauf')), [3], 'in any language');
    assert.deepEqual(await numbers(words('main')), [1], 'inside text that looks like a tag');
    assert.deepEqual(await numbers(words('page ts')), [1], 'inside text that looks like a path');
    assert.deepEqual(await numbers(words('logi')), [], 'whole words');
    assert.deepEqual(await numbers(words('absent')), []);
    assert.deepEqual(await numbers(near('logi')), [4, 1], 'the beginning of a word of the title');
    assert.deepEqual(await numbers(near('puffer')), [3]);
    assert.equal((await numbers(near('ogin ag')))[0], 4, 'a part of the title');
    assert.deepEqual(await numbers(near('qqq')), []);
    await add({ title: 'ΛΑΘΟΣ', description: 'ΟΔΟΣ “quoted”—dashed、「括弧」 İstanbul' });
    for (const word of ['οδος', 'λαθος', 'quoted', 'dashed', '括弧', 'i̇stanbul'])
      assert.deepEqual(await numbers(words(word)), [5], `in any case, parted by marks of any script: ${word}`);
    const ranks = (await searches.search(repository, words('login'), 10)).map(({ rank }) => rank);
    assert.ok(
      ranks.every((rank) => typeof rank === 'number' && rank > 0 && rank <= 1),
      ranks.join(),
    );
    assert.ok((ranks[1] ?? 0) > (ranks[2] ?? 1), 'the title weighs more');
    if (thorough !== true) return;
    assert.deepEqual(await numbers(words('"login fails"')), [1]);
    assert.deepEqual(await numbers(words('"fails login"')), []);
    assert.deepEqual(await numbers(words('login -again')), [1, 2]);
    assert.deepEqual((await numbers(words('room or puffer'))).toSorted(), [2, 3]);
    for (const [typed, number] of [
      ['lgoin fails', 1],
      ['serevr', 2],
      ['überlaf', 3],
      ['pufer', 3],
    ] as const)
      assert.equal((await numbers(near(typed)))[0], number, typed);
    assert.deepEqual(await numbers(near('p')), [3], 'one letter');
    assert.deepEqual(await numbers(near('se')), [2], 'two letters begin a word');
  }),

  check<IssueSearchUnderTest>(
    'with many hits texts are cut to one character past their share, and with few hits they are complete',
    async ({ searches, add, repository }) => {
      const [description, most] = ['long '.repeat(issueBounds.text / 5), textShare(50) ?? 0];
      for (let count = 0; count < 50; count += 1) await add({ title: 'Same', description, assumptions: 'short' });
      const many = await searches.search(repository, words('same'), 100);
      assert.equal(many.length, 50);
      assert.deepEqual(
        new Set(many.map(({ description, assumptions }) => `${description.length} ${assumptions}`)),
        new Set([`${most + 1} short`]),
      );
      const [one] = await searches.search(repository, words('same'), 1);
      assert.equal(one?.description, description);
    },
  ),

  check<IssueSearchUnderTest>('a hit is a complete issue, and search follows changes of the issue', async (given) => {
    const { searches, store, unitOfWork, add, repository, ada } = given;
    const parent = await add({ title: 'Above' });
    const { id } = await add({ title: 'Old', description: 'text', parentId: parent.id });
    await unitOfWork.run(() => store.replaceAssignees(id, [ada]));
    const [hit] = await searches.search(repository, words('text'), 10);
    const { rank, ...row } = hit ?? { rank: undefined };
    assert.equal(typeof rank, 'number');
    assert.deepEqual(row, await store.byNumber(repository, 2));
    await unitOfWork.run(() => store.update(id, { title: 'New', updatedAt: new Date() }));
    assert.deepEqual(await searches.search(repository, words('old'), 10), []);
    assert.equal((await searches.search(repository, words('new'), 10)).length, 1);
    await unitOfWork.run(() => store.delete(id));
    assert.deepEqual(await searches.search(repository, words('new'), 10), []);
  }),

  check<IssueSearchUnderTest>('facets count all matches', async (given) => {
    const { searches, store, unitOfWork, add, repository, ada, addUser } = given;
    const [bob, label, other] = [await addUser('bob'), uuid(), uuid()];
    for (const [patch, labels, people] of [
      [{ title: 'crash one', typeId: typeId('bug') }, [label], [ada]],
      [{ title: 'crash two', state: 'closed' }, [label, other], [ada, bob]],
      [{ title: 'crash three' }, [], []],
      [{ title: 'peace' }, [other], [bob]],
    ] as const) {
      const { id } = await add(patch);
      await unitOfWork.run(async () => {
        await store.replaceLabels(id, labels);
        await store.replaceAssignees(id, people);
      });
    }
    const lines = async (text: SearchText) =>
      (await searches.facets(repository, text))
        .map(({ facet, value, count }) => `${facet} ${value} ${count}`)
        .toSorted();
    assert.deepEqual(
      await lines(words('crash')),
      [
        'state open 2',
        'state closed 1',
        'type bug 1',
        'type task 2',
        `label ${label} 2`,
        `label ${other} 1`,
        'assignee Ada 2',
        'assignee bob 1',
      ].sort(),
    );
    assert.deepEqual(await lines(words('nothing')), []);
    assert.deepEqual((await lines(near('peac'))).slice(0, 2), ['assignee bob 1', `label ${other} 1`]);
  }),

  check<IssueSearchUnderTest>(
    'no text of a query or an issue makes a search fail',
    async ({ searches, add, repository }) => {
      const long = 65_536;
      for (const description of [
        'a-'.repeat(long / 2),
        'a.'.repeat(long / 2),
        'a/'.repeat(long / 2),
        'a@'.repeat(long / 2),
        '<a '.repeat(long / 3),
        'x'.repeat(long),
        '\u6f22 '.repeat(long / 2),
        Array.from({ length: long / 6 }, (_, index) => index.toString(36).padStart(5, '0')).join(' '),
      ])
        await add({ title: "100% 'quoted' _under_ \\", description });
      for (const text of hostileTexts) {
        const storable = text.replaceAll(/[\0\ud800]/g, ' ');
        for (const way of ['words', 'near'] as const) {
          assert.ok(Array.isArray(await searches.search(repository, { way, text: storable }, 5)), text);
          assert.ok(Array.isArray(await searches.facets(repository, { way, text: storable })), text);
        }
      }
      assert.equal((await searches.search(repository, words('0088a'), 5)).length, 1, 'the last of many words');
    },
  ),

  check<IssueSearchUnderTest>(
    'many words that occur many times are ranked in linear time',
    async ({ searches, add, repository }) => {
      const letters = Array.from({ length: searchBounds.words }, (_, index) => `w${index.toString(36)}`);
      const often = Array.from({ length: 250 }, () => letters.join(' ')).join(' ');
      for (let count = 0; count < 20; count += 1) await add({ title: 'Words', description: often });
      for (const text of [letters.join(' '), `"${letters.join(' ')}"`, `(${letters.join(' or ')})`]) {
        const before = performance.now();
        assert.ok(Array.isArray(await searches.search(repository, words(text), 5)));
        const took = performance.now() - before;
        assert.ok(took < 3000, `${text.slice(0, 20)}: ${took} ms`);
      }
    },
  ),

  check<IssueSearchUnderTest>('only the newest matches are ranked', async ({ searches, add, repository }) => {
    await add({ title: 'crash' });
    for (let count = 0; count < searchBounds.ranked; count += 1) await add({ title: 'Other', description: 'crash' });
    const [first] = await searches.search(repository, words('crash'), 1);
    assert.equal(first?.number, searchBounds.ranked + 1);
  }),

  check<IssueSearchUnderTest>('one hit and twenty take the same number of statements', async (given) => {
    const { searches, add, repository, statements } = given;
    for (let count = 0; count < 20; count++) await add({ title: 'crash' });
    const read = async (limit: number): Promise<number> => {
      const before = statements?.() ?? 0;
      assert.equal((await searches.search(repository, words('crash'), limit)).length, limit);
      return (statements?.() ?? 1) - before;
    };
    assert.deepEqual([await read(1), await read(20)], [1, 1]);
  }),
];
