// Events of one owner leave slots for others, however many there are, on the embedded database and on PostgreSQL.
import type { Kysely, QueryResult, RootOperationNode, UnknownRow } from 'kysely';
import { sql } from 'kysely';
import t from 'tap';
import { findDue } from '#adapters/postgres/events/due';
import { mostSharing, routeEvents } from '#adapters/postgres/events/route';
import type { PostgresStorage } from '#adapters/postgres/index';
import type { SystemTables } from '#adapters/postgres/statements/schema';
import { type EventOf, on } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { gate } from '#test/contracts/checks';
import type {} from '#test/contracts/storage/events';
import { eachEngine, testEngines, type TestData } from '#test/contracts/storage/storage-engines';

type Counted = EventOf<'contract.counted'>;
type Named = EventOf<'contract.named'>;
const engines = testEngines().filter((engine) => engine !== 'memory');
const plugin = 'fair';
/** The slots of one plugin, and of one owner in them. */
const [share, ownShare] = [8, 4];

const opened = async (data: TestData, caller?: () => string | undefined): Promise<PostgresStorage> =>
  (await data.open(caller === undefined ? {} : { caller })) as PostgresStorage;
const counting = (name: string, handle: (event: Counted) => Promise<void>): OwnedSubscription => ({
  plugin,
  subscription: on('contract.counted', { name, delivery: 'durable', handle }),
});
const naming = (name: string, handle: (event: Named) => Promise<void>): OwnedSubscription => ({
  plugin,
  subscription: on('contract.named', { name, delivery: 'durable', handle }),
});
/** One event for each aggregate, in one unit of work. */
const emitNamed = (storage: PostgresStorage, aggregates: readonly string[], actorId?: string): Promise<void> =>
  storage.unitOfWork.run(async () => {
    for (const aggregate of aggregates)
      await storage.events.emit<'contract.named'>({
        type: 'contract.named',
        aggregate,
        payload: { name: aggregate },
        ...(actorId !== undefined && { actorId }),
      });
  });
const emitCounted = (storage: PostgresStorage, aggregate: string, actorId: string): Promise<string> =>
  storage.unitOfWork.run(() =>
    storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate, actorId, payload: { n: 1 } }),
  );
const many = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}:${index}`);

/** A handler that holds the slots of all events but those of the aggregate `other`. */
const holding = () => {
  const [begun, full, seen, released] = [gate(), gate(), gate(), gate()];
  let held = 0;
  const handle = async ({ aggregate }: Named): Promise<void> => {
    if (aggregate === 'other') return seen.open();
    held += 1;
    if (held === ownShare) begun.open();
    if (held === share) full.open();
    await released.passed;
  };
  /** How many slots were held when the other event was handled, or could not be. */
  const result = async (): Promise<number> => {
    await Promise.race([seen.passed, full.passed]);
    const result = held;
    released.open();
    return result;
  };
  return { begun, handle, result };
};

void t.test('events without an actor have the owner of their cause', { timeout: 240_000 }, (t) =>
  eachEngine(
    t,
    async (t, _engine, data) => {
      let caller: string | undefined;
      const storage = await opened(data, () => caller);
      let slots = holding();
      const spread = counting('spread', () => emitNamed(storage, many('derived', 100)));
      await storage.deliver([spread, naming('hold', (event) => slots.handle(event))]);
      const other = async (): Promise<number> => {
        await slots.begun.passed;
        await emitNamed(storage, ['other'], 'somebody');
        const held = await slots.result();
        await storage.drained();
        slots = holding();
        return held;
      };
      await emitCounted(storage, 'cause', 'attacker');
      t.equal(await other(), ownShare, 'a handler has emitted them');
      await emitNamed(storage, many('job', 100));
      t.equal(await other(), ownShare, 'the server itself has emitted them');
      caller = 'user:attacker';
      await emitNamed(storage, many('request', 50));
      await emitNamed(storage, many('actor', 50), 'attacker');
      caller = undefined;
      t.equal(await other(), ownShare, 'some are of the caller, some of the same user as actor');
    },
    engines,
  ),
);

void t.test('more owners than one search returns are all served', { timeout: 240_000 }, (t) =>
  eachEngine(
    t,
    async (t, _engine, data) => {
      const storage = await opened(data);
      const [served, given] = [gate(), gate()];
      let count = 0;
      const handle = async ({ actorId = '', aggregate }: Named): Promise<void> => {
        if (actorId === 'zzz') return served.open();
        count += 1;
        if (count === 1500) given.open();
        if (count < 1500) await emitNamed(storage, [aggregate], actorId);
      };
      for (const name of many('owner', 210)) await emitNamed(storage, [name], name);
      await emitNamed(storage, ['last'], 'zzz');
      await storage.deliver([naming('again', handle)]);
      const first = await Promise.race([served.passed.then(() => 'served'), given.passed.then(() => 'starved')]);
      t.equal(first, 'served');
      count = 1500;
      await storage.drained();
    },
    engines,
  ),
);

/** Makes each statement return its plan with the number of rows that it read. */
const explaining = (database: Kysely<SystemTables>) => {
  const plans: unknown[] = [];
  const explained = database.withPlugin({
    transformQuery: ({ node }): RootOperationNode =>
      node.kind === 'RawNode'
        ? {
            ...node,
            sqlFragments: node.sqlFragments.map((text, index) =>
              index === 0 ? `explain (analyze, format json) ${text}` : text,
            ),
          }
        : node,
    transformResult: async ({ result }): Promise<QueryResult<UnknownRow>> => {
      plans.push(...result.rows.map((row) => row['QUERY PLAN']));
      return { rows: [] };
    },
  });
  return { database: explained, plans };
};

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
const rowsRead = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);

void t.test('a search for due events does not read the many events of one chain', { timeout: 240_000 }, (t) =>
  eachEngine(
    t,
    async (t, _engine, data) => {
      const storage = await opened(data);
      const database = storage.database.kysely<SystemTables>();
      // Two chains of one owner: one has failed and waits, the other is running.
      for (const chain of ['failed', 'running'])
        await sql`
          insert into hexforge_delivery (plugin, subscription, position, chain, owner, retry_at)
          select ${plugin}, 'one', n * 2 + ${chain === 'failed' ? 1 : 0}, ${chain}, 'busy',
            case when n = 1 and ${chain} = 'failed' then clock_timestamp() + interval '1 hour' end
          from generate_series(1, 4000) n`.execute(database);
      const explained = explaining(database);
      const from = [{ plugin, subscription: 'one', after: '', chains: [] }];
      await findDue(explained.database, { from, running: ['running'], each: ownShare });
      const [[{ Plan: plan }]] = explained.plans as [[{ Plan: Plan }]];
      t.ok(rowsRead(plan) < 500, `${rowsRead(plan)} rows were read`);
    },
    engines,
  ),
);

void t.test(
  'owners share each batch of new events, and those of one aggregate keep their order',
  { timeout: 240_000 },
  (t) =>
    eachEngine(
      t,
      async (t, _engine, data) => {
        const storage = await opened(data);
        const database = storage.database.kysely<SystemTables>();
        const routed = async (): Promise<readonly string[]> => {
          const events = database
            .selectFrom('hexforge_event')
            .select(['aggregate', 'owner'])
            .where('routed', '=', true);
          return (await events.orderBy('position').execute()).map(({ aggregate, owner }) => `${owner} ${aggregate}`);
        };
        const shared = Array.from({ length: 1200 }, () => 'shared');
        await emitNamed(storage, shared, 'many');
        await emitNamed(storage, ['shared', 'own', 'shared'], 'other');
        await emitNamed(storage, ['shared'], 'many');
        for (const name of many('owner', mostSharing)) await emitNamed(storage, [name], name);
        let { more, after } = await routeEvents(database, '');
        const first = await routed();
        t.ok(first.length < 600 && first.includes('user:other own'), 'other owners have a part of the first turn');
        t.notOk(first.includes('user:other shared'), 'an earlier event of the aggregate is not routed');
        t.equal(after, `user:owner:7`, 'the last owner of the turn');
        const order = [...first];
        for (; more;) {
          ({ more, after } = await routeEvents(database, after));
          const now = await routed();
          order.push(
            ...now.filter((one) => one.endsWith('shared')).slice(order.filter((one) => one.endsWith('shared')).length),
          );
        }
        t.strictSame(
          order.filter((one) => one.endsWith('shared')),
          [...shared.map(() => 'user:many shared'), ...['other', 'other', 'many'].map((name) => `user:${name} shared`)],
        );
        t.equal((await routed()).length, 1204 + mostSharing, 'all are routed');
      },
      engines,
    ),
);
