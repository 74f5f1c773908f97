// The guard of connections: whose turn ends when one is released.
import {
  type DatabaseConnection,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import t from 'tap';
import { guarded } from '#adapters/postgres/guarded-dialect';
import { Turns } from '#adapters/postgres/turns';

/** Of one connection, which is handed out again before its release is through. */
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

void t.test('a connection that another takes while it is released ends the turn of whoever released it', async (t) => {
  let between = async (): Promise<void> => undefined;
  const turns = new Turns({ connections: 2, share: 2, patience: 10_000 });
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
  const places = await Promise.all([turns.take(), turns.take()]);
  t.equal(places.length, 2, 'both places are free again');
});
