// The rule of who may read a repository exists in core and in SQL: a property test compares both, and all their users,
// on every engine.
import { rawSql } from 'hexforge/plugin';
import t, { type Test } from 'tap';
import { type MemoryStorage } from '#adapters/memory/index';
import { systemIds } from '#adapters/system/time';
import type { PostgresStorage } from '#adapters/postgres/index';
import { anonymous, type User } from '#core/kernel/caller';
import {
  mayRead,
  repositoryPermissions,
  roles,
  visibilities,
  type Collaboration,
  type Reader,
  type Repository,
} from '#core/repositories/index';
import { repositoryResolver } from '#core/repositories/use-cases';
import { memoryAccountStore } from '#plugins/identity/accounts/store-memory';
import { sqlAccountStore } from '#plugins/identity/accounts/store';
import identity from '#plugins/identity/plugin';
import { identityEntities } from '#plugins/identity/tables';
import { memoryCollaboratorStore } from '#plugins/repositories/collaborators/store-memory';
import { sqlCollaboratorStore } from '#plugins/repositories/collaborators/store';
import repositories from '#plugins/repositories/plugin';
import { memoryRepositoryStore } from '#plugins/repositories/repositories/store-memory';
import { sqlRepositoryStore } from '#plugins/repositories/repositories/store';
import { entities } from '#plugins/repositories/tables';
import { addAccount } from '#test/support/clients/accounts';
import { eachEngine, type TestData, setOf } from '../../contracts/storage/storage-engines.ts';

const seed = 20_260_112;

/** mulberry32: the same numbers from 0 to 1 on every machine. */
function random(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The permissions known to `standing`; that of an enabled plugin is among them, that of a disabled one is not. */
const declarations = [...repositoryPermissions, { name: 'wiki.read', from: 'read' } as const];
const permissions = ['repo.read', 'repo.write', 'wiki.read', 'gone.read', 'REPO.READ', 'repo.reads', 'repo read', ''];
/** Also custom roles that no use case would create, because only the stored value counts. */
const roleNames = [...roles, 'crew', 'owner', 'Read', 'ADMIN', 'read ', ' write', 'reader', 'rea', "tri'age", ''];

interface Scenario {
  readonly userIds: readonly string[];
  readonly administratorId: string;
  readonly repositories: readonly Repository[];
  /** By repository, then by user. */
  readonly collaborations: ReadonlyMap<string, ReadonlyMap<string, Collaboration>>;
}

function scenario(): Scenario {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const userIds = Array.from({ length: 5 }, () => systemIds.uuid());
  const [administratorId] = userIds as [string];
  const at = new Date('2026-01-02T03:04:05.678Z');
  // Every visibility with every role, and with a random owner and random other collaborations.
  const kinds = visibilities.flatMap((visibility) => roleNames.map((role) => ({ visibility, role })));
  const collaborations = new Map<string, Map<string, Collaboration>>();
  const repositories = kinds.map(({ visibility, role }, index): Repository => {
    const id = systemIds.uuid();
    const given = (name: string): Collaboration => ({
      role: name,
      permissions: permissions.filter(() => next() < 0.3),
    });
    const others = userIds.filter(() => next() < 0.5).map((user) => [user, given(pick(roleNames))] as const);
    collaborations.set(id, new Map([...others, [pick(userIds), given(role)]]));
    return {
      id,
      ownerId: pick(userIds),
      owner: '',
      name: `r${index}`,
      description: '',
      visibility,
      defaultBranch: 'main',
      issueCode: '',
      createdAt: at,
      updatedAt: at,
    };
  });
  return { userIds, administratorId, repositories, collaborations };
}

/** Returns the ids that a reader may read; undefined if it does not apply to this reader. */
type Answer = (reader: Reader) => Promise<ReadonlySet<string> | undefined>;
type Answers = Readonly<Record<string, Answer>>;
type Rule = typeof mayRead;

const ruleAnswer =
  ({ repositories, collaborations }: Scenario, rule: Rule): Answer =>
  async (reader) => {
    const given = (id: string) => (reader.kind === 'user' ? collaborations.get(id)?.get(reader.id) : undefined);
    return new Set(repositories.filter((one) => rule(one, given(one.id), reader)).map(({ id }) => id));
  };

/** Each difference between two answers, in words; empty if the property holds. */
async function disagreements({ userIds, administratorId, repositories }: Scenario, answers: Answers) {
  const readers: Reader[] = [
    { kind: 'anonymous' },
    ...userIds.map((id) => ({ kind: 'user', id, isAdmin: false }) as const),
    { kind: 'user', id: administratorId, isAdmin: true },
    { kind: 'user', id: systemIds.uuid(), isAdmin: false },
  ];
  const found: string[] = [];
  for (const [index, reader] of readers.entries()) {
    const given = new Map<string, ReadonlySet<string>>();
    for (const [name, answer] of Object.entries(answers)) {
      const ids = await answer(reader);
      if (ids !== undefined) given.set(name, ids);
    }
    for (const { id, name, visibility } of repositories) {
      const said = [...given].map(([who, ids]) => `${who} ${ids.has(id) ? 'yes' : 'no'}`);
      if (new Set(said.map((text) => text.split(' ').at(-1))).size > 1)
        found.push(`reader ${index} of ${visibility} ${name}: ${said.join(', ')}`);
    }
  }
  return found;
}

/** The scenario in the stores of an engine, and the functions that answer there. */
async function setUp(data: TestData) {
  const storage = await data.open({
    entities: [...identityEntities, ...entities],
    migrations: [setOf(identity), setOf(repositories)],
  });
  const sql = storage.engine === 'memory' ? undefined : (storage as PostgresStorage).database;
  const memory = (storage as MemoryStorage).database;
  const accounts = sql === undefined ? memoryAccountStore(memory) : sqlAccountStore(sql);
  const store = sql === undefined ? memoryRepositoryStore(memory) : sqlRepositoryStore(sql);
  const collaborators = sql === undefined ? memoryCollaboratorStore(memory) : sqlCollaboratorStore(sql);
  const made = scenario();
  await storage.unitOfWork.run(async () => {
    for (const [index, id] of made.userIds.entries()) await addAccount(accounts, { id, username: `u${index}` });
    for (const repository of made.repositories) await store.insert(repository);
    for (const [id, given] of made.collaborations)
      for (const [user, collaboration] of given) await collaborators.put(id, user, collaboration, new Date());
  });

  const resolver = repositoryResolver({
    store,
    permissionTable: { declarations: () => declarations },
    counters: () => [],
  });
  const standings = async (reader: Reader, reads: 'readable' | 'may') => {
    const caller =
      reader.kind === 'anonymous'
        ? anonymous
        : ({ ...reader, username: '', credential: { kind: 'session', id: '', scopes: 'all', via: 'bearer' } } as User);
    const ids = new Set<string>();
    for (const { id, ownerId, name } of made.repositories) {
      const owner = `u${made.userIds.indexOf(ownerId)}`;
      const standing = await resolver.repository?.(caller, { owner, repo: name });
      if (reads === 'readable' ? standing?.readable : standing?.may('repo.read')) ids.add(id);
    }
    return ids;
  };
  /** The published SQL does not handle administrators. */
  const published =
    (query: (reader: string | null) => ReturnType<typeof rawSql<{ readonly id: string }>>): Answer =>
    async (reader) => {
      if (sql === undefined || (reader.kind === 'user' && reader.isAdmin)) return undefined;
      const { rows } = await query(reader.kind === 'user' ? reader.id : null).execute(sql.kysely());
      return new Set(rows.map(({ id }) => id));
    };
  const answers = {
    core: ruleAnswer(made, mayRead),
    standing: (reader) => standings(reader, 'readable'),
    'the role table': (reader) => standings(reader, 'may'),
    'the list': async (reader) => new Set((await store.list({ reader, limit: 1000 })).map(({ id }) => id)),
    repositories_readable_by: published((reader) => rawSql`select id from repositories_readable_by(${reader}::uuid)`),
    repositories_readable: published(
      (reader) => rawSql`select id from repositories_repository where repositories_readable(${reader}::uuid, id)`,
    ),
  } satisfies Answers;
  return { made, answers, store, sql };
}

const brokenRules: Readonly<Record<string, Rule>> = {
  'internal is public': (one, given, reader) =>
    mayRead({ ...one, visibility: one.visibility === 'internal' ? 'public' : one.visibility }, given, reader),
  'public is internal': (one, given, reader) =>
    mayRead({ ...one, visibility: one.visibility === 'public' ? 'internal' : one.visibility }, given, reader),
  'an owner is nobody': (one, given, reader) => mayRead({ ...one, ownerId: '' }, given, reader),
  'an administrator is an ordinary user': (one, given, reader) =>
    mayRead(one, given, { ...reader, isAdmin: false } as Reader),
  'a role counts in any case': (one, given, reader) =>
    mayRead(one, given && { ...given, role: given.role.toLowerCase() }, reader),
  'a role counts with space around it': (one, given, reader) =>
    mayRead(one, given && { ...given, role: given.role.trim() }, reader),
  'a custom role never reads': (one, given, reader) => mayRead(one, given && { ...given, permissions: [] }, reader),
  'a custom role always reads': (one, given, reader) => mayRead(one, given && { ...given, role: 'read' }, reader),
  'a role of the table is a custom one': (one, given, reader) =>
    mayRead(one, given && { ...given, role: 'crew' }, reader),
};

/** Replacements in the definition of `repositories_readable_by`. */
const brokenSql: Readonly<Record<string, readonly [string, string]>> = {
  'internal is public': ["r.visibility = 'public'", "r.visibility <> 'private'"],
  'internal is private': ["r.visibility = 'internal'", 'false'],
  'an owner is nobody': ['r.owner_id = reader', 'false'],
  'the role of any user counts': ['and c.user_id = reader', ''],
  'a role is missing': ["'triage', ", ''],
  'a role counts in any case': ['c.role in', 'lower(c.role) in'],
  'a custom role reads by another permission': ["'repo.read'", "'repo.write'"],
  'a custom role never reads': ["or 'repo.read' = any (c.permissions)", ''],
};

const holds = async (t: Test, { made, answers }: Pick<Awaited<ReturnType<typeof setUp>>, 'made' | 'answers'>) =>
  t.strictSame(await disagreements(made, answers), [], `all answers are equal (seed ${seed})`);

void t.test('readers of a repository', (t) =>
  eachEngine(t, async (t, _engine, data) => {
    const world = await setUp(data);
    const { made, answers, store, sql } = world;

    await t.test('core, standing, the list and the published SQL agree', async (t) => {
      await holds(t, world);
      const core = await answers.core({ kind: 'anonymous' });
      t.ok(
        core !== undefined && core.size > 0 && core.size < made.repositories.length,
        'some but not all are readable',
      );
    });

    await t.test('the property fails on a planted difference', async (t) => {
      const differs = async (name: string, planted: Answers) =>
        t.not((await disagreements(made, { core: answers.core, ...planted })).length, 0, name);
      for (const [name, rule] of Object.entries(brokenRules))
        await differs(`core: ${name}`, { core: ruleAnswer(made, rule), list: answers['the list'] });
      const listed = (change: (reader: Reader) => Reader): Answer => {
        return async (reader) =>
          new Set((await store.list({ reader: change(reader), limit: 1000 })).map(({ id }) => id));
      };
      await differs('the list: everything', { list: listed(() => ({ kind: 'user', id: '', isAdmin: true })) });
      await differs('the list: what is public', { list: listed(() => ({ kind: 'anonymous' })) });
      await differs('the list: one too few', {
        list: async (reader) => new Set([...(await answers['the list'](reader))].slice(1)),
      });
    });

    if (sql === undefined) return;

    await t.test('the property test finds a planted difference in SQL', async (t) => {
      const db = sql.kysely<Record<never, never>>();
      const definition = async (name: string) => {
        const { rows } = await rawSql<{ text: string }>`
          select pg_get_functiondef(${name}::regproc) as text`.execute(db);
        return rows[0]?.text ?? '';
      };
      const differs = async (name: string, good: string, broken: string, wrong: readonly (keyof typeof answers)[]) => {
        t.not(broken, good, 'the definition has the text to replace');
        await rawSql.raw(broken).execute(db);
        for (const one of wrong)
          t.not(
            (await disagreements(made, { core: answers.core, [one]: answers[one] })).length,
            0,
            `${name}, found in ${one}`,
          );
        await rawSql.raw(good).execute(db);
      };
      const rows = await definition('repositories_readable_by');
      for (const [name, [part, by]] of Object.entries(brokenSql))
        await differs(name, rows, rows.replace(part, by), [
          'the list',
          'repositories_readable_by',
          'repositories_readable',
        ]);
      const one = await definition('repositories_readable');
      await differs('any repository', one, one.replace('where r.id = repository', ''), ['repositories_readable']);
      await holds(t, world);
    });

    await t.test('the published view is planned as if its condition were part of the query', async (t) => {
      const plan = await rawSql<Record<string, string>>`explain
        select p.name from repositories_public_repository p join repositories_readable_by(null) r on r.id = p.id`.execute(
        sql.kysely(),
      );
      const text = plan.rows.flatMap((row) => Object.values(row)).join('\n');
      t.match(text, 'repositories_repository');
      t.notMatch(text, 'Function Scan');
      t.notMatch(text, 'repositories_readable_by');
    });
  }),
);
