// PostgreSQL as a server: rejections at the start, restarts, and several processes on one database.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock, systemIds } from '#adapters/system/time';
import { EventOwners } from '#adapters/postgres/events/event-owners';
import { writeEvents } from '#adapters/postgres/events/outbox';
import { openPostgres, type PostgresStorage } from '#adapters/postgres/index';
import type { SystemTables } from '#adapters/postgres/statements/schema';
import { on, type EventOf } from '#core/kernel/storage/events';
import type { OwnedSubscription } from '#core/kernel/storage/storage';
import { runJobs } from '#host/contributions/jobs';
import { gate, turn } from '#test/contracts/checks';
import type {} from '#test/contracts/storage/events';
import { ledgerEntities, ledgerMigrations } from '#test/contracts/storage/ledger';
import { quietLog, testData, testEngines } from '#test/contracts/storage/storage-engines';

const opening = (url: string): Promise<PostgresStorage> =>
  openPostgres({ url, directory: '.', entities: [], clock: systemClock, ids: systemIds, log: quietLog });

/** One message of the PostgreSQL protocol (PostgreSQL manual, "Message Formats"). */
function message(type: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : Buffer.from(part))),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A server that answers the start of a session with `greeting` and every query with `answer`. */
async function pretender(t: Test, greeting: Buffer, answer = Buffer.alloc(0)): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(greeting);
      socket.on('data', () => socket.write(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgresql://hexforge:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/forge`;
}

void t.test('a failing start has one sentence with the reason, a remedy, and without the password', async (t) => {
  const refused = async (t: Test, url: string, expected: { readonly message: RegExp; readonly remedy: RegExp }) => {
    const error = await opening(url).then(
      (storage) => storage.close(),
      (thrown: unknown) => thrown,
    );
    t.match(error, { name: 'StorageRefused', ...expected });
    t.notMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), 'hunter2');
  };

  await t.test('no server is listening', async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await refused(t, `postgresql://hexforge:hunter2@127.0.0.1:${port}/forge`, {
      message: new RegExp(`^PostgreSQL at "127\\.0\\.0\\.1:${port}" cannot be reached \\(ECONNREFUSED\\)$`),
      remedy: /DATABASE_URL/,
    });
  });

  await t.test('the password is wrong', async (t) => {
    const url = await pretender(
      t,
      message('E', 'SFATAL', 'C28P01', 'Mpassword authentication failed for user "hexforge"', [0]),
    );
    await refused(t, url, {
      message: /^PostgreSQL at "127\.0\.0\.1:\d+" refused the user "hexforge": the user name or password is wrong$/,
      remedy: /DATABASE_URL/,
    });
  });

  await t.test('the database does not exist', async (t) => {
    const url = await pretender(t, message('E', 'SFATAL', 'C3D000', 'Mdatabase "forge" does not exist', [0]));
    await refused(t, url, { message: /has no database "forge"$/, remedy: /createdb/ });
  });

  await t.test('the server is older than 15', async (t) => {
    const column = (name: string, type: number): (string | number[])[] => [
      name,
      [0, 0, 0, 0, 0, 0, 0, 0, 0, type, 0, 4, 255, 255, 255, 255, 0, 0],
    ];
    const value = (text: string): number[] => [0, 0, 0, text.length, ...Buffer.from(text)];
    const url = await pretender(
      t,
      Buffer.concat([message('R', [0, 0, 0, 0]), message('Z', [73])]),
      Buffer.concat([
        message('T', [0, 2], ...column('number', 23), ...column('version', 25)),
        message('D', [0, 2], value('140011'), value('14.11')),
        message('C', 'SELECT 1'),
        message('Z', [73]),
      ]),
    );
    await refused(t, url, {
      message: /^The database server at "127\.0\.0\.1:\d+" is PostgreSQL 14\.11; Hexforge needs 15 or later$/,
      remedy: /Upgrade/,
    });
  });

  await t.test('the address is invalid', async (t) => {
    for (const url of ['mysql://root:hunter2@localhost/x', 'not an address: hunter2'])
      await refused(t, url, {
        message: /^DATABASE_URL is not the address of a PostgreSQL database$/,
        remedy: /postgresql:\/\//,
      });
  });
});

if (testEngines().includes('postgresql')) {
  // Long enough for the catalog queries before a migration, shorter than the migration.
  const migrationLimit = 2000;

  void t.test('a migration that takes too long is cancelled by the server, and named with its plugin', async (t) => {
    const data = await testData(t, 'postgresql');
    await t.rejects(
      data.open({
        migrationLimit,
        migrations: [{ plugin: 'slow', migrations: [{ name: '001', up: ['select pg_sleep(60)'] }] }],
      }),
      { message: /^The migration "001" of plugin "slow" failed .*: The database took too long$/ },
    );
  });

  void t.test('a read has a shorter time limit than a unit of work', async (t) => {
    const data = await testData(t, 'postgresql');
    const { database, unitOfWork } = (await data.open({ readLimit: 500 })) as PostgresStorage;
    const sleep = () => sql`select pg_sleep(1.5)`.execute(database.kysely());
    await t.rejects(sleep(), { message: 'The database took too long' });
    await t.resolves(unitOfWork.run(sleep));
    await t.rejects(sleep(), { message: 'The database took too long' });
  });

  void t.test('other migrations are applied although one takes too long', async (t) => {
    const data = await testData(t, 'postgresql');
    const storage = await data.open({ migrationLimit });
    if (storage.engine === 'memory') throw new Error('not an SQL engine');
    const outcomes = await storage.migrate([
      { plugin: 'slow', migrations: [{ name: '001', up: ['select pg_sleep(60)'] }] },
      { plugin: 'good', migrations: [{ name: '001', up: ['select 1'] }] },
    ]);
    t.match(outcomes, [
      { plugin: 'slow', steps: [], refused: { remedy: /or raise migrate_timeout, and until then disable/ } },
      { plugin: 'good', steps: ['001'], refused: undefined },
    ]);
  });

  void t.test('an event waits for the transaction that wrote an earlier event of its aggregate', async (t) => {
    const data = await testData(t, 'postgresql');
    const { database, unitOfWork } = (await data.open()) as PostgresStorage;
    const [written, ended] = [gate(), gate()];
    const order: string[] = [];
    const write = (name: string, aggregate: string, end = turn) =>
      unitOfWork.run(async () => {
        const event: EventOf = {
          type: 'contract.counted',
          aggregate,
          payload: { n: 1 },
          id: randomUUID(),
          at: new Date(),
        };
        await writeEvents(database.kysely<SystemTables>(), [event], {
          engine: 'postgresql',
          owners: new EventOwners(),
        });
        await end();
        order.push(name);
      });
    const first = write('first', 'server:queue', () => {
      written.open();
      return ended.passed;
    });
    await written.passed;
    const second = write('second', 'server:queue');
    await write('of another aggregate', 'server:free');
    await setTimeout(100);
    ended.open();
    await Promise.all([first, second]);
    t.strictSame(order, ['of another aggregate', 'first', 'second']);
  });

  void t.test('several processes on one PostgreSQL', { timeout: 120_000 }, async (t) => {
    const data = await testData(t, 'postgresql');
    const open = async (): Promise<PostgresStorage> => {
      const storage = await data.open({
        entities: ledgerEntities,
        migrations: ledgerMigrations,
        tuning: { attempts: 3, pause: 5 },
      });
      if (storage.engine === 'memory') throw new Error('not an SQL engine');
      return storage;
    };
    const emit = (storage: PostgresStorage, n: number) =>
      storage.unitOfWork.run(() =>
        storage.events.emit<'contract.counted'>({ type: 'contract.counted', aggregate: 'server:1', payload: { n } }),
      );

    await t.test('keepalive settings detect a lost machine before its intents count as abandoned', async (t) => {
      const storage = await open();
      const { rows } = await sql<{ name: string; setting: string }>`
        select name, setting from pg_settings where name like 'tcp\\_%' order by name`.execute(
        storage.database.kysely(),
      );
      t.strictSame(
        rows.map(({ name, setting }) => `${name}=${setting}`),
        ['tcp_keepalives_count=3', 'tcp_keepalives_idle=15', 'tcp_keepalives_interval=10', 'tcp_user_timeout=45000'],
      );
      await storage.close();
    });

    await t.test('concurrent processes migrate an empty database', async (t) => {
      const both = await Promise.all([open(), open()]);
      t.equal(both.length, 2);
      for (const storage of both) await storage.close();
    });

    const [one, other] = await Promise.all([open(), open()]);

    await t.test('a lock excludes the other process', async (t) => {
      const held = gate();
      const released = gate();
      const order: string[] = [];
      const first = one.locks.exclusive('repository', async () => {
        held.open();
        await released.passed;
        order.push('one');
      });
      await held.passed;
      const second = other.locks.exclusive('repository', async () => {
        order.push('other');
      });
      await turn();
      released.open();
      await Promise.all([first, second]);
      t.strictSame(order, ['one', 'other']);
    });

    await t.test('a job runs in one process, and in the other once the first has stopped', async (t) => {
      const [first, second] = [await open(), await open()];
      const runs: string[] = [];
      let running = 0;
      const jobsOf = (who: string, { locks, leads }: PostgresStorage) => {
        const run = async () => {
          t.equal(++running, 1, 'never two at a time');
          runs.push(who);
          await turn();
          running--;
        };
        const jobs = [{ plugin: 'server', job: { name: 'sweep', everySeconds: 0.001, run } }];
        return runJobs(jobs, {
          locks,
          leads,
          logOf: () => quietLog,
          limit: 60_000,
          overdue: () => undefined,
        });
      };
      const until = async (condition: () => boolean) => {
        while (!condition()) await setTimeout(5);
      };
      const jobs = [jobsOf('first', first)];
      await until(() => runs.length > 0);
      jobs.push(jobsOf('second', second));
      await until(() => runs.length >= 20);
      t.notOk(runs.includes('second'), 'the other process runs none in between');
      await jobs[0]?.stop(1_000);
      await first.close();
      await until(() => runs.includes('second'));
      await jobs[1]?.stop(1_000);
      await second.close();
    });

    await t.test('an intent of a live process is not abandoned; of a closed one it is', async (t) => {
      const third = await open();
      const intent = await third.intents.open({ kind: 'server.push', subject: 'one', detail: {} });
      t.strictSame(await one.intents.abandoned('server.push'), []);
      await third.close();
      t.strictSame(await one.intents.abandoned('server.push'), [intent]);
      await one.unitOfWork.run(() => one.intents.close(intent.id));
    });

    await t.test('an intent of a process on another host that was silent for a minute', async (t) => {
      const kind = 'server.silence';
      const begun = async () => {
        const away = await open();
        return { away, intent: await away.intents.open({ kind, subject: 'one', detail: {} }) };
      };
      /** As if `away` were on another host and had not reached the database since. */
      const silence = () =>
        sql`update hexforge_process set host = 'elsewhere', renewed_at = clock_timestamp() - interval '61 seconds'
          where id in (select process_id from hexforge_intent where kind = ${kind})`.execute(one.database.kysely());

      await t.test('is not abandoned if its process renews it first', async (t) => {
        const { away, intent } = await begun();
        await silence();
        await away.intents.renew(intent.id);
        t.strictSame(await one.intents.abandoned(kind), []);
        await away.unitOfWork.run(() => away.intents.close(intent.id));
      });

      await t.test('cannot be renewed or held once another process has found it', async (t) => {
        const { away, intent } = await begun();
        await silence();
        t.strictSame(await one.intents.abandoned(kind), [intent]);
        await t.rejects(away.intents.renew(intent.id), { kind: 'unavailable', message: /given up/ });
        await t.rejects(
          away.unitOfWork.run(() => away.intents.hold(intent.id)),
          { kind: 'unavailable', message: /given up/ },
        );
        t.strictSame(await one.intents.abandoned(kind), [intent], 'it is found again until it is closed');
        await one.unitOfWork.run(() => one.intents.close(intent.id));
      });

      await t.test('is not taken over while its process holds it in a transaction', async (t) => {
        const { away, intent } = await begun();
        await silence();
        const [held, go] = [gate(), gate()];
        let committing = false;
        const holding = away.unitOfWork.run(async () => {
          await away.intents.hold(intent.id);
          held.open();
          await go.passed;
          committing = true;
        });
        await held.passed;
        const found = one.intents.abandoned(kind).then((intents) => {
          t.ok(committing, 'it was found before the transaction committed');
          return intents;
        });
        await setTimeout(100);
        go.open();
        await holding;
        t.strictSame(await found, [intent]);
        await one.unitOfWork.run(() => one.intents.close(intent.id));
      });
    });

    await t.test(
      'a broadcast event reaches both processes, a durable event one, and the other process takes over',
      async (t) => {
        const heard: string[] = [];
        let wake: () => void = () => undefined;
        const until = async (condition: () => boolean) => {
          while (!condition())
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        };
        const subscriptions = (who: string): OwnedSubscription[] =>
          (['broadcast', 'durable'] as const).map((delivery) => ({
            plugin: 'server',
            subscription: on('contract.counted', {
              name: delivery,
              delivery,
              handle: async ({ payload }) => {
                heard.push(`${delivery} ${payload.n} at ${who}`);
                wake();
              },
            }),
          }));
        await one.deliver(subscriptions('one'));
        await other.deliver(subscriptions('other'));
        await emit(other, 1);
        await other.drained();
        await until(() => heard.length >= 3);
        t.strictSame(heard.sort(), ['broadcast 1 at one', 'broadcast 1 at other', 'durable 1 at one']);
        await one.close();
        heard.length = 0;
        await emit(other, 2);
        await until(() => heard.length >= 2);
        t.strictSame(heard.sort(), ['broadcast 2 at other', 'durable 2 at other']);

        await t.test('broken connections are replaced, and pending events are delivered', async (t) => {
          heard.length = 0;
          const killer = await open();
          await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(
            killer.database.kysely(),
          );
          await killer.close();
          let failed = 0;
          for (;;) {
            try {
              await emit(other, 3);
              break;
            } catch (error) {
              t.match(error, { kind: 'unavailable' });
              failed += 1;
              if (failed > 50) throw error;
            }
          }
          await until(() => heard.includes('durable 3 at other') && heard.includes('broadcast 3 at other'));
          await other.check();
          t.equal(await other.locks.exclusive('repository', async () => 'free'), 'free');
        });
      },
    );
  });
}
