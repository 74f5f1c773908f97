// In-memory tables: keys, unique constraints, order, pages, and how a rejected statement aborts its unit of work.
import t from 'tap';
import { openMemory } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { Duplicate } from '#core/kernel/errors';
import { gate } from '#test/contracts/checks';
import { quietLog } from '#test/contracts/storage/storage-engines';

interface Book {
  readonly id: string;
  readonly shelf: string;
  readonly title: string;
  readonly year?: number;
  readonly readAt?: Date | undefined;
  readonly tags?: string[];
}

function setUp() {
  const { database, unitOfWork } = openMemory({ clock: systemClock, ids: systemIds, log: quietLog });
  const books = database.table<Book>('library_book', {
    key: 'id',
    uniques: { library_book_title_key: ['shelf', 'title'], library_book_year_key: ['year'] },
  });
  return { database, unitOfWork, books };
}

const book = (id: string, title: string, more: Partial<Book> = {}): Book => ({ id, shelf: 'a', title, ...more });
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).join(' ');

void t.test('a key is one member, several members, or a function of the row', async (t) => {
  const { database, books } = setUp();
  books.insert(book('1', 'Emma'));
  t.strictSame(books.get('1'), book('1', 'Emma'));
  t.throws(() => books.insert(book('1', 'Persuasion')), new Duplicate('library_book_pkey'));

  const rules = database.table<{ readonly owner: string; readonly branch: string }>('library_rule', {
    key: ['owner', 'branch'],
  });
  rules.insert({ owner: 'a/b', branch: 'c' });
  rules.insert({ owner: 'a', branch: 'b/c' });
  rules.insert({ owner: 'a","b', branch: 'c' });
  rules.insert({ owner: 'a', branch: 'b","c' });
  t.equal(rules.count(), 4, 'composite keys are unambiguous');
  t.strictSame(rules.get(['a', 'b/c']), { owner: 'a', branch: 'b/c' });
  t.equal(rules.delete(['a', 'b/c']), true);
  t.strictSame(rules.get(['a/b', 'c']), { owner: 'a/b', branch: 'c' });

  const folded = database.table<{ readonly name: string }>('library_name', { key: ({ name }) => name.toLowerCase() });
  folded.insert({ name: 'Ada' });
  t.strictSame(folded.get('ada'), { name: 'Ada' });
  const numbered = database.table<{ readonly n: number }>('library_number', { key: 'n' });
  for (const n of [10, 9]) numbered.insert({ n });
  t.strictSame(numbered.get(9), { n: 9 });
  t.strictSame(numbered.find({ orderBy: () => 0 }), [{ n: 9 }, { n: 10 }], 'numbers are ordered as numbers');
});

void t.test('the key of a row cannot change', async (t) => {
  const { books } = setUp();
  books.insert(book('1', 'Emma'));
  t.throws(() => books.update('1', { id: '2' }), { message: 'the key of a row of "library_book" cannot change' });
  t.strictSame(books.all(), [book('1', 'Emma')]);
});

void t.test('unique constraints reject by name, and ignore undefined members', async (t) => {
  const { books } = setUp();
  books.insert(book('1', 'Emma', { year: 1815 }));
  books.insert(book('2', 'Persuasion'));
  books.insert(book('3', 'Emma', { shelf: 'b' }));
  const [title, year] = [new Duplicate('library_book_title_key'), new Duplicate('library_book_year_key')];
  t.throws(() => books.insert(book('4', 'Emma')), title);
  t.throws(() => books.update('2', { title: 'Emma' }), title);
  t.throws(() => books.upsert(book('2', 'Emma')), title);
  t.throws(() => books.update('2', { year: 1815 }), year);
  t.strictSame(
    books.all(),
    [book('1', 'Emma', { year: 1815 }), book('2', 'Persuasion'), book('3', 'Emma', { shelf: 'b' })],
    'rejected statements changed nothing',
  );
  books.update('1', { title: 'Sanditon' });
  books.update('2', { title: 'Emma' });
  books.delete('1');
  books.insert(book('5', 'Sanditon', { year: 1815 }));
  t.equal(ids(books.all()), '2 3 5');
});

void t.test('composite unique values of free text are unambiguous', async (t) => {
  const { books } = setUp();
  books.insert(book('1', 'c', { shelf: 'a/b' }));
  books.insert(book('2', 'b/c', { shelf: 'a' }));
  books.insert(book('3', 'b","c', { shelf: 'a' }));
  books.insert(book('4', 'c', { shelf: 'a","b' }));
  t.equal(books.count(), 4);
});

void t.test('update and delete return whether the row existed', async (t) => {
  const { books } = setUp();
  books.insert(book('1', 'Emma', { tags: ['x'] }));
  t.equal(books.update('1', { title: 'Persuasion' }), true);
  t.strictSame(books.get('1'), book('1', 'Persuasion', { tags: ['x'] }));
  t.equal(books.update('2', { title: 'Emma' }), false);
  t.equal(books.delete('1'), true);
  t.equal(books.delete('1'), false);
  t.equal(books.count(), 0);
});

void t.test('upsert inserts a row, or replaces it in its position', async (t) => {
  const { books } = setUp();
  books.upsert(book('1', 'Emma', { year: 1815 }));
  books.upsert(book('2', 'Persuasion'));
  books.upsert(book('1', 'Sanditon'));
  t.strictSame(books.all(), [book('1', 'Sanditon'), book('2', 'Persuasion')]);
});

void t.test('deleteWhere deletes all matching rows and counts them', async (t) => {
  const { books } = setUp();
  for (const id of ['1', '2', '3']) books.insert(book(id, id, { shelf: id === '2' ? 'b' : 'a' }));
  t.equal(books.deleteWhere({ shelf: 'a' }), 2);
  t.equal(
    books.deleteWhere(({ title }) => title === '1'),
    0,
  );
  t.equal(ids(books.all()), '2');
});

void t.test('stored and returned rows are copies', async (t) => {
  const { books } = setUp();
  const tags = ['x'];
  books.insert(book('1', 'Emma', { tags }));
  tags.push('y');
  const upserted = ['u'];
  books.upsert(book('2', 'Persuasion', { tags: upserted }));
  upserted.push('v');
  const patched = ['p'];
  books.insert(book('3', 'Sanditon'));
  books.update('3', { tags: patched });
  patched.push('q');
  const stored = [['x'], ['u'], ['p']];
  t.strictSame(
    books.all().map((row) => row.tags),
    stored,
  );
  for (const row of [books.get('1'), books.findOne({ id: '1' }), books.find()[0], books.all()[0]]) row?.tags?.push('z');
  t.strictSame(
    books.all().map((row) => row.tags),
    stored,
  );
});

void t.test('a query filters by members, by dates as instants, or by a predicate', async (t) => {
  const { books } = setUp();
  const readAt = new Date('2030-01-01T00:00:00Z');
  books.insert(book('1', 'Emma', { readAt }));
  books.insert(book('2', 'Persuasion', { shelf: 'b', readAt: new Date('2031-01-01T00:00:00Z') }));
  books.insert(book('3', 'Sanditon', { shelf: 'b' }));
  t.equal(ids(books.find({ where: { shelf: 'b' } })), '2 3');
  t.equal(ids(books.find({ where: { shelf: 'b', title: 'Sanditon' } })), '3');
  t.equal(ids(books.find({ where: { readAt: new Date(readAt) } })), '1');
  t.equal(ids(books.find({ where: { readAt: undefined } })), '3', 'undefined means unset, never "any"');
  t.equal(ids(books.find({ where: ({ title }) => title.includes('n') })), '2 3');
  t.equal(ids(books.find()), '1 2 3');
  t.equal(books.findOne({ shelf: 'b' })?.id, '2');
  t.equal(books.findOne({ shelf: 'c' }), undefined);
  t.equal(books.count(), 3);
  t.equal(books.count({ shelf: 'b' }), 2);
  t.equal(
    books.count(({ readAt: at }) => at === undefined),
    1,
  );
});

void t.test('rows are ordered as requested, then by key, with unset members last', async (t) => {
  const { books } = setUp();
  const day = (n: number) => new Date(Date.UTC(2030, 0, n));
  books.insert(book('4', 'b', { readAt: day(2) }));
  books.insert(book('3', 'C', { readAt: day(10) }));
  books.insert(book('2', 'a', { readAt: day(2), shelf: 'b' }));
  books.insert(book('1', 'd'));
  t.equal(ids(books.find()), '4 3 2 1', 'by default in insertion order');
  t.equal(ids(books.find({ orderBy: 'title' })), '3 2 4 1', 'text by code units');
  t.equal(ids(books.find({ orderBy: ({ title }) => title.toLowerCase() })), '2 4 3 1');
  t.equal(ids(books.find({ orderBy: { desc: ({ title }) => title.toLowerCase() } })), '1 3 4 2');
  t.equal(ids(books.find({ orderBy: 'readAt' })), '2 4 3 1', 'equal dates by the key');
  t.equal(ids(books.find({ orderBy: { desc: 'readAt' } })), '1 3 2 4', 'also when descending');
  t.equal(ids(books.find({ orderBy: ['shelf', { desc: 'title' }] })), '1 4 3 2');
  t.equal(ids(books.find({ orderBy: [{ desc: 'shelf' }, 'readAt'] })), '2 4 3 1');
  const pairs = setUp().database.table<{ readonly a: string; readonly b: string }>('library_pair', { key: ['a', 'b'] });
  const keys = ['x y', 'x! a', 'x a'].map((pair) => pair.split(' '));
  for (const [a = '', b = ''] of keys) pairs.insert({ a, b });
  t.strictSame(
    pairs.find({ orderBy: () => 0 }).map(({ a, b }) => `${a} ${b}`),
    ['x a', 'x y', 'x! a'],
    'a composite key part by part',
  );
});

void t.test('a page is a slice of the ordered rows', async (t) => {
  const { books } = setUp();
  for (const id of ['5', '3', '1', '4', '2']) books.insert(book(id, id, { shelf: id === '3' ? 'b' : 'a' }));
  const page = (limit?: number, offset?: number) =>
    ids(
      books.find({
        where: { shelf: 'a' },
        orderBy: 'title',
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      }),
    );
  t.equal(page(2), '1 2');
  t.equal(page(2, 2), '4 5');
  t.equal(page(2, 3), '5');
  t.equal(page(2, 4), '');
  t.equal(page(0), '');
  t.equal(page(undefined, 1), '2 4 5');
});

void t.test('a rejected statement aborts its unit of work and no other', async (t) => {
  const { books, unitOfWork } = setUp();
  books.insert(book('1', 'Emma'));
  const refused: readonly (() => unknown)[] = [
    () => books.insert(book('1', 'x')),
    () => books.insert(book('2', 'Emma')),
    () => books.upsert(book('2', 'Emma')),
  ];
  for (const statement of refused)
    await t.rejects(
      unitOfWork.run(async () => {
        books.insert(book('9', 'Sanditon'));
        t.throws(statement, Duplicate);
      }),
      { message: /a statement of this transaction failed and its error was swallowed/ },
    );
  t.equal(ids(books.all()), '1');
  await unitOfWork.run(async () => {
    books.insert(book('9', 'Sanditon'));
    t.equal(books.update('8', {}), false);
    t.equal(books.delete('8'), false);
  });
  t.equal(ids(books.all()), '1 9', 'updating a missing row is not a rejection');
});

void t.test('a write outside a unit of work is kept when an open unit of work commits', async (t) => {
  const { books, unitOfWork } = setUp();
  for (const id of ['1', '2', '3']) books.insert(book(id, id));
  const [written, go] = [gate(), gate()];
  const running = unitOfWork.run(async () => {
    books.update('1', { shelf: 'inside' });
    books.insert(book('4', 'new'));
    written.open();
    await go.passed;
  });
  await written.passed;
  books.update('1', { title: 'outside' });
  t.equal(books.delete('2'), true);
  t.equal(books.deleteWhere({ id: '3' }), 1);
  t.throws(() => books.insert(book('5', 'new')), new Duplicate('library_book_title_key'));
  t.strictSame(books.all(), [book('1', 'outside')], 'changes of the open unit of work are not visible');
  go.open();
  await running;
  t.strictSame(books.all(), [book('1', 'outside', { shelf: 'inside' }), book('4', 'new')]);
});
