// The connection guard: which slot is released with a connection.
import { setTimeout as pause } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import t from 'tap';
import { guarded } from '#adapters/postgres/connection/guarded-dialect';
import { ConnectionSlots } from '#adapters/postgres/connection/connection-slots';

/** A driver of one connection, which is acquired again before its release has completed. */
function driver(released: () => Promise<void>): Driver {
  const connection = { executeQuery: async () => ({ rows: [] }) } as unknown as DatabaseConnection;
  const nothing = async (): Promise<void> => undefined;
  return {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: released,
    destroy: nothing,
  };
}

void t.test('a connection reacquired during its release releases the slot of its first owner', async (t) => {
  let between = async (): Promise<void> => undefined;
  const turns = new ConnectionSlots({ connections: 2, share: 2, timeLimit: 10_000 });
  const guard = guarded(
    {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => driver(() => between()),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    turns,
  ).createDriver();
  const first = await guard.acquireConnection();
  let second: DatabaseConnection | undefined;
  between = async () => {
    between = async () => undefined;
    second = await guard.acquireConnection();
  };
  await guard.releaseConnection(first);
  t.equal(second, first);
  await guard.releaseConnection(first);
  const slots = await Promise.all([turns.take(), turns.take()]);
  t.equal(slots.length, 2, 'both slots are free again');
});

void t.test('statements that are started at the same time', async (t) => {
  for (const [statements, atOnce] of [
    ['one at a time', ['first']],
    ['ordered', ['first', 'second']],
  ] as const)
    await t.test(statements, async (t) => {
      const begun: string[] = [];
      const ends: (() => void)[] = [];
      const executeQuery = async ({ sql }: CompiledQuery) => {
        begun.push(sql);
        await new Promise<void>((resolve) => ends.push(resolve));
        return { rows: [] };
      };
      const guard = guarded(
        {
          createAdapter: () => new PostgresAdapter(),
          createDriver: () => ({
            ...driver(async () => undefined),
            acquireConnection: async () => ({ executeQuery }) as unknown as DatabaseConnection,
          }),
          createIntrospector: (database) => new PostgresIntrospector(database),
          createQueryCompiler: () => new PostgresQueryCompiler(),
        },
        new ConnectionSlots({ connections: 1, share: 1, timeLimit: 10_000 }),
        statements,
      ).createDriver();
      const connection = await guard.acquireConnection();
      const both = Promise.all(['first', 'second'].map((sql) => connection.executeQuery(CompiledQuery.raw(sql))));
      await pause(1);
      t.strictSame(begun, atOnce);
      while (ends.length > 0) {
        ends.shift()?.();
        await pause(1);
      }
      await both;
      t.strictSame(begun, ['first', 'second']);
    });
});
