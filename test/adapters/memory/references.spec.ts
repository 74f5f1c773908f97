// Foreign keys of in-memory tables: cascade, set null, restrict, chains and rollback.
import t from 'tap';
import { Memory, openMemory, type MemoryDatabase } from '#adapters/memory/index';
import { systemClock, systemIds } from '#adapters/system/time';
import { Conflict, StillReferenced } from '#core/kernel/errors';
import { gate } from '#test/contracts/checks';
import { quietLog } from '#test/contracts/storage/storage-engines';

interface Row {
  readonly id: string;
}
interface Repository extends Row {
  readonly ownerId: string;
}
interface Issue extends Row {
  readonly repositoryId: string;
  readonly title?: string;
  readonly assigneeId?: string;
  readonly duplicateOf?: string;
}
interface Comment extends Row {
  readonly issueId: string;
  readonly replyTo?: string;
}

const open = (memory = new Memory()) => openMemory({ clock: systemClock, ids: systemIds, log: quietLog, memory });
const users = (database: MemoryDatabase) => database.table<Row>('identity_user', { key: 'id' });
const issues = (database: MemoryDatabase) =>
  database.table<Issue>('issues_issue', {
    key: 'id',
    uniques: { issues_issue_title_key: ['repositoryId', 'title'] },
    references: {
      repositoryId: { table: 'repositories_repository', onDelete: 'cascade' },
      assigneeId: { table: 'identity_user', onDelete: 'set null' },
      duplicateOf: { table: 'issues_issue', onDelete: 'set null' },
    },
  });

/** The tables of three plugins; children are declared before their parents, because plugins may be in any order. */
function setUp() {
  const { database, unitOfWork } = open();
  const tables = {
    comments: database.table<Comment>('issues_comment', {
      key: 'id',
      references: {
        issueId: { table: 'issues_issue', onDelete: 'cascade' },
        replyTo: { table: 'issues_comment', onDelete: 'cascade' },
      },
    }),
    issues: issues(database),
    repositories: database.table<Repository>('repositories_repository', {
      key: 'id',
      references: { ownerId: { table: 'identity_user', onDelete: 'restrict' } },
    }),
    users: users(database),
  };
  for (const id of ['ada', 'bob']) tables.users.insert({ id });
  for (const id of ['forge', 'other']) tables.repositories.insert({ id, ownerId: 'ada' });
  tables.issues.insert({ id: 'i1', repositoryId: 'forge', title: 'one', assigneeId: 'bob' });
  tables.issues.insert({ id: 'i2', repositoryId: 'other', assigneeId: 'bob', duplicateOf: 'i1' });
  tables.comments.insert({ id: 'c1', issueId: 'i1' });
  tables.comments.insert({ id: 'c2', issueId: 'i2' });
  const state = () =>
    Object.fromEntries(
      Object.entries(tables).map(([name, table]) => [
        name,
        table
          .all()
          .map(({ id }) => id)
          .join(' '),
      ]),
    );
  return { database, unitOfWork, ...tables, state };
}

const everything = { comments: 'c1 c2', issues: 'i1 i2', repositories: 'forge other', users: 'ada bob' };

void t.test('a deletion cascades along chains of tables', async (t) => {
  const { repositories, issues, state } = setUp();
  t.strictSame(state(), everything);
  t.equal(repositories.delete('forge'), true);
  t.strictSame(state(), { comments: 'c2', issues: 'i2', repositories: 'other', users: 'ada bob' });
  t.strictSame(
    issues.all(),
    [{ id: 'i2', repositoryId: 'other', assigneeId: 'bob' }],
    'references to rows that the cascade deleted are set null',
  );
});

void t.test('deleteWhere cascades, and counts only the matching rows', async (t) => {
  const { repositories, state } = setUp();
  t.equal(
    repositories.deleteWhere(() => true),
    2,
  );
  t.strictSame(state(), { comments: '', issues: '', repositories: '', users: 'ada bob' });
});

void t.test('the unique values of cascaded rows are free again', async (t) => {
  const { repositories, issues } = setUp();
  repositories.delete('forge');
  repositories.insert({ id: 'forge', ownerId: 'ada' });
  issues.insert({ id: 'i3', repositoryId: 'forge', title: 'one' });
  t.strictSame(issues.findOne({ title: 'one' })?.id, 'i3');
});

void t.test('a tree within one table is deleted from its root, and cycles are handled', async (t) => {
  const { comments } = setUp();
  comments.insert({ id: 'r1', issueId: 'i1', replyTo: 'c1' });
  comments.insert({ id: 'r2', issueId: 'i1', replyTo: 'r1' });
  t.equal(comments.deleteWhere({ id: 'c1' }), 1, 'cascaded rows are not counted');
  t.equal(comments.count({ issueId: 'i1' }), 0);
  comments.insert({ id: 'self', issueId: 'i1', replyTo: 'self' });
  comments.insert({ id: 'a', issueId: 'i1' });
  comments.insert({ id: 'b', issueId: 'i1', replyTo: 'a' });
  comments.update('a', { replyTo: 'b' });
  comments.delete('self');
  comments.delete('b');
  t.equal(comments.count({ issueId: 'i1' }), 0);
});

void t.test('set null unsets the member and keeps the row', async (t) => {
  const { users, issues } = setUp();
  issues.update('i2', { repositoryId: 'forge' });
  t.equal(users.delete('bob'), true);
  t.strictSame(issues.all(), [
    { id: 'i1', repositoryId: 'forge', title: 'one' },
    { id: 'i2', repositoryId: 'forge', duplicateOf: 'i1' },
  ]);
});

void t.test('one deletion unsets two members of a row', async (t) => {
  const { database, users } = setUp();
  const reviews = database.table<{ readonly id: string; readonly by?: string; readonly of?: string }>('merges_review', {
    key: 'id',
    references: {
      by: { table: 'identity_user', onDelete: 'set null' },
      of: { table: 'identity_user', onDelete: 'set null' },
    },
  });
  reviews.insert({ id: 'r', by: 'bob', of: 'bob' });
  users.delete('bob');
  t.strictSame(reviews.all(), [{ id: 'r' }]);
});

void t.test('restrict rejects with the name of the referring table and changes nothing', async (t) => {
  const { users, repositories, state, unitOfWork } = setUp();
  const refusal = new StillReferenced('repositories_repository');
  t.throws(() => users.delete('ada'), refusal);
  t.throws(() => users.deleteWhere(() => true), refusal);
  await t.rejects(
    unitOfWork.run(async () => users.delete('ada')),
    refusal,
  );
  t.strictSame(state(), everything);
  repositories.deleteWhere({ ownerId: 'ada' });
  t.equal(users.delete('ada'), true);
});

void t.test('restrict at the end of a chain rejects the whole deletion', async (t) => {
  const { database, repositories, state } = setUp();
  const runs = database.table<{ readonly id: string; readonly issueId: string }>('pipelines_run', {
    key: 'id',
    references: { issueId: { table: 'issues_issue', onDelete: 'restrict' } },
  });
  runs.insert({ id: 'run', issueId: 'i1' });
  t.throws(() => repositories.delete('forge'), new StillReferenced('pipelines_run'));
  t.strictSame(state(), everything);
  t.equal(repositories.delete('other'), true);
});

void t.test('restrict also rejects if the same deletion would cascade to the row', async (t) => {
  const { database, repositories, state } = setUp();
  for (const [name, [first, second]] of Object.entries({
    releases_a: ['cascade', 'restrict'],
    releases_b: ['restrict', 'cascade'],
  } as const)) {
    const releases = database.table<{ readonly id: string; readonly of: string; readonly in: string }>(name, {
      key: 'id',
      references: {
        of: { table: 'repositories_repository', onDelete: first },
        in: { table: 'repositories_repository', onDelete: second },
      },
    });
    releases.insert({ id: 'r', of: 'forge', in: 'forge' });
    t.throws(() => repositories.delete('forge'), new StillReferenced(name));
    releases.delete('r');
  }
  t.strictSame(state(), everything);
});

void t.test('rows that restrict each other are deleted in one statement', async (t) => {
  const { database } = setUp();
  const nodes = database.table<{ readonly id: string; readonly parentId?: string }>('planning_node', {
    key: 'id',
    references: { parentId: { table: 'planning_node', onDelete: 'restrict' } },
  });
  nodes.insert({ id: 'root' });
  nodes.insert({ id: 'leaf', parentId: 'root' });
  t.throws(() => nodes.delete('root'), new StillReferenced('planning_node'));
  t.equal(nodes.deleteWhere({}), 2);
});

void t.test('a row without its parent is rejected, and so is an update to one', async (t) => {
  const { issues, comments } = setUp();
  const refused = (statement: () => unknown, sentence: string) =>
    t.throws(statement, { name: 'Conflict', kind: 'conflict', cause: { message: sentence } });
  const orphan = '"repositoryId" of "issues_issue" refers to no row of "repositories_repository"';
  refused(() => issues.insert({ id: 'i3', repositoryId: 'absent' }), orphan);
  refused(() => issues.upsert({ id: 'i3', repositoryId: 'absent' }), orphan);
  refused(() => issues.upsert({ id: 'i1', repositoryId: 'absent' }), orphan);
  refused(() => issues.update('i1', { repositoryId: 'absent' }), orphan);
  refused(
    () => issues.update('i1', { assigneeId: 'nobody' }),
    '"assigneeId" of "issues_issue" refers to no row of "identity_user"',
  );
  t.throws(() => comments.insert({ id: 'c3', issueId: 'i9' }), Conflict);
  t.strictSame(issues.get('i1'), { id: 'i1', repositoryId: 'forge', title: 'one', assigneeId: 'bob' });
  t.equal(issues.count(), 2);
});

void t.test('a reference to an undeclared table is not checked until the table is declared', async (t) => {
  const { database } = open();
  const own = issues(database);
  own.insert({ id: 'i1', repositoryId: 'anything', assigneeId: 'anybody' });
  const table = users(database);
  t.throws(() => own.insert({ id: 'i2', repositoryId: 'anything', assigneeId: 'anybody' }), Conflict);
  t.equal(own.update('i1', { title: 'what was there may stay' }), true);
  table.insert({ id: 'ada' });
  own.insert({ id: 'i2', repositoryId: 'anything', assigneeId: 'ada' });
  t.equal(own.count(), 2);
});

void t.test('foreign keys declared in an earlier opening of the memory still apply', async (t) => {
  const memory = new Memory();
  const first = open(memory).database;
  users(first).insert({ id: 'ada' });
  issues(first).insert({ id: 'i1', repositoryId: 'r', assigneeId: 'ada' });
  const second = open(memory).database;
  users(second).delete('ada');
  t.strictSame(issues(second).all(), [{ id: 'i1', repositoryId: 'r' }]);
});

void t.test('a cascade is rolled back with its unit of work in every table', async (t) => {
  const { repositories, users, issues, state, unitOfWork } = setUp();
  const before = issues.all();
  const reason = new Error('no');
  await t.rejects(
    unitOfWork.run(async () => {
      repositories.delete('forge');
      users.delete('bob');
      t.strictSame(state(), { comments: 'c2', issues: 'i2', repositories: 'other', users: 'ada' });
      t.strictSame(issues.all(), [{ id: 'i2', repositoryId: 'other' }]);
      throw reason;
    }),
    reason,
  );
  t.strictSame(state(), everything);
  t.strictSame(issues.all(), before);
  t.throws(() => issues.insert({ id: 'i3', repositoryId: 'forge', title: 'one' }), { name: 'Duplicate' });
  await unitOfWork.run(async () => repositories.delete('forge'));
  t.strictSame(state(), { comments: 'c2', issues: 'i2', repositories: 'other', users: 'ada bob' });
});

void t.test('a rejected foreign key aborts its unit of work', async (t) => {
  const { users, issues, state, unitOfWork } = setUp();
  const refused: readonly (() => unknown)[] = [
    () => users.delete('ada'),
    () => issues.insert({ id: 'i3', repositoryId: 'absent' }),
    () => issues.update('i1', { repositoryId: 'absent' }),
  ];
  for (const statement of refused)
    await t.rejects(
      unitOfWork.run(async () => {
        issues.delete('i2');
        t.throws(statement, { name: /^(Conflict|StillReferenced)$/ });
      }),
      { message: /a statement of this transaction failed and its error was swallowed/ },
    );
  t.strictSame(state(), everything);
});

void t.test('next to an open unit of work a foreign key holds before and after its commit', async (t) => {
  const { repositories, issues, comments, state, unitOfWork } = setUp();
  const [written, go] = [gate(), gate()];
  const running = unitOfWork.run(async () => {
    repositories.delete('forge');
    comments.insert({ id: 'c3', issueId: 'i2' });
    written.open();
    await go.passed;
  });
  await written.passed;
  t.throws(
    () => issues.insert({ id: 'i3', repositoryId: 'forge' }),
    Conflict,
    'its parent is deleted in the open unit of work',
  );
  t.equal(issues.delete('i2'), true);
  t.strictSame(state(), { ...everything, comments: 'c1', issues: 'i1' });
  go.open();
  await running;
  t.strictSame(state(), { comments: '', issues: '', repositories: 'other', users: 'ada bob' });
});
