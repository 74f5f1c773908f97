// Replies of PostgreSQL that are lost with their connection: an intent is written at most once, and committed work is
// distinguished from uncommitted.
import { sql } from 'kysely';
import t, { type Test } from 'tap';
import { systemClock, systemIds } from '#adapters/system/time';
import { openPostgres, type PostgresStorage } from '#adapters/postgres/index';
import { Unavailable } from '#core/kernel/errors';
import type {} from '#test/contracts/storage/events';
import { quietLog, testEngines } from '#test/contracts/storage/storage-engines';
import { createDatabase } from '#test/support/servers/postgres';
import { replyLosingProxy, type ReplyLosingProxy } from '#test/support/servers/reply-losing-proxy';

const inserting = 'insert into "hexforge_intent"';
const intent = { kind: 'lost.push', subject: 'one', detail: {} };

async function opened(
  t: Test,
  deadline?: number,
): Promise<{ readonly proxy: ReplyLosingProxy; readonly through: PostgresStorage; readonly beside: PostgresStorage }> {
  const database = await createDatabase();
  const proxy = await replyLosingProxy(database.url);
  const opening = (url: string): Promise<PostgresStorage> =>
    openPostgres({
      url,
      directory: '.',
      entities: [],
      clock: systemClock,
      ids: systemIds,
      log: quietLog,
      ...(deadline !== undefined && { deadline }),
    });
  const [beside, through] = [await opening(database.url), await opening(proxy.url)];
  await beside.migrate([]);
  t.teardown(async () => {
    await through.close();
    await beside.close();
    await proxy.close();
    await database.drop();
  });
  return { proxy, through, beside };
}

const rows = async ({ database }: PostgresStorage): Promise<number> => {
  const found = await sql<{ count: string }>`select count(*) as count from hexforge_intent`.execute(
    database.kysely<unknown>(),
  );
  return Number(found.rows[0]?.count);
};

if (testEngines().includes('postgresql')) {
  void t.test('an intent whose INSERT lost its reply is written once', async (t) => {
    const { proxy, through, beside } = await opened(t);
    proxy.lose(inserting);
    const { id } = await through.intents.open(intent);
    t.equal(proxy.left, 0, 'one reply was lost');
    t.equal(await rows(beside), 1);
    t.same([...(await through.intents.stillOpen([id]))], [id]);
  });

  void t.test(
    'an intent rejected after two lost replies is orphaned, and removed at the next search for abandoned intents',
    async (t) => {
      const { proxy, through, beside } = await opened(t);
      proxy.lose(inserting, inserting);
      await t.rejects(through.intents.open(intent), Unavailable);
      t.equal(proxy.left, 0, 'both replies were lost');
      t.equal(await rows(beside), 1, 'it was written');
      t.same(await through.intents.abandoned(intent.kind), [], 'it is not returned as abandoned');
      t.equal(await rows(beside), 0);
    },
  );

  void t.test('a unit of work whose COMMIT was lost ends with its real outcome', async (t) => {
    const { proxy, through, beside } = await opened(t);
    const emit = (n: number): Promise<string> =>
      through.unitOfWork.run(() =>
        through.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate: 'lost:1', payload: { n } }),
      );
    const written = async (): Promise<number> => {
      const { rows: found } = await sql`select 1 from hexforge_event`.execute(beside.database.kysely<unknown>());
      return found.length;
    };
    proxy.lose('commit');
    t.type(await emit(1), 'string', 'the reply was lost: the event is saved, and emit returns');
    t.equal(await written(), 1);
    proxy.drop('commit');
    await t.rejects(emit(2), Unavailable, 'the COMMIT was lost: nothing is saved, and emit rejects');
    t.equal(await written(), 1);
    t.equal(proxy.left, 0);
    await through.check();
  });

  void t.test('a missing reply on an open connection counts as lost', async (t) => {
    const { proxy, through, beside } = await opened(t, 1000);
    proxy.keep(inserting);
    const { id } = await through.intents.open(intent);
    t.equal(await rows(beside), 1);
    proxy.keep('commit');
    await t.rejects(
      through.unitOfWork.run(() => through.intents.close(id)),
      Unavailable,
    );
    t.equal(proxy.left, 0);
    t.same([...(await through.intents.stillOpen([id]))], []);
  });

  void t.test('a COMMIT that lost its reply is found by its intent', async (t) => {
    const { proxy, through } = await opened(t);
    const { id } = await through.intents.open(intent);
    proxy.lose('commit');
    await t.rejects(
      through.unitOfWork.run(() => through.intents.close(id)),
      Unavailable,
    );
    t.equal(proxy.left, 0, 'one reply was lost');
    t.same([...(await through.intents.stillOpen([id]))], []);
    await through.check();
  });
}
