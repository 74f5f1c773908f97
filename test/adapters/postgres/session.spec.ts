// The database session of a process that has its advisory locks: closing releases the locks before the connection.
import t from 'tap';
import { Session } from '#adapters/postgres/connection/session';
import { quietLog } from '#test/contracts/storage/storage-engines';

/** A pool of one connection. @param answers whether statements are answered. */
function pool(answers: boolean) {
  const seen: string[] = [];
  const connect = async () => ({
    query: async (sql: string) => {
      seen.push(sql);
      if (!answers) await new Promise<never>(() => undefined);
      return { rows: [] };
    },
    on: () => undefined,
    release: (destroy?: boolean) => void seen.push(`released ${String(destroy)}`),
  });
  return { seen, connect, on: () => undefined };
}

void t.test('closing releases the locks before the connection', async (t) => {
  const { seen, ...rest } = pool(true);
  const session = new Session(rest, quietLog);
  await session.query('select 1', []);
  await session.close();
  t.strictSame(seen, ['select 1', 'select pg_advisory_unlock_all()', 'released true']);
  await t.rejects(session.query('select 2', []), { name: 'Unavailable' });
});

void t.test('closing ends although an earlier statement never returns', async (t) => {
  const { seen, ...rest } = pool(false);
  const session = new Session(rest, quietLog);
  void session.query('select 1', []);
  await new Promise(setImmediate);
  await session.close();
  t.strictSame(seen, ['select 1', 'released true']);
});

void t.test('closing a session that was never connected does nothing', async (t) => {
  const { seen, ...rest } = pool(true);
  await new Session(rest, quietLog).close();
  t.strictSame(seen, []);
});
