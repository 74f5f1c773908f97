// The audit log on every engine: written with the change or not at all, numbered, and free of secrets.
import t from 'tap';
import type { Test } from 'tap';
import type { MemoryStorage } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import { auditLog } from '#core/audit/use-cases';
import type { AuditEntry } from '#core/kernel/audit';
import { memoryAuditStore } from '#plugins/audit/entries/store-memory';
import type { EntryRow } from '#plugins/audit/entries/store-memory';
import audit from '#plugins/audit/plugin';
import { sqlAuditStore } from '#plugins/audit/entries/store';
import { EntryTable } from '#plugins/audit/tables';
import { eachEngine, setOf } from '#test/contracts/storage-engines';

interface Row {
  readonly id: number;
  readonly actor_id: string | null;
  readonly actor_username: string | null;
  readonly action: string;
  readonly resource: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly details: unknown;
  readonly at: Date;
}

function opened(storage: MemoryStorage | PostgresStorage) {
  if (storage.engine === 'memory') {
    const { database } = storage as MemoryStorage;
    const store = memoryAuditStore(database);
    const table = database.table<EntryRow>('audit_entry', { key: 'id' });
    return {
      log: auditLog({ store, unitOfWork: storage.unitOfWork }),
      rows: async (): Promise<readonly Row[]> =>
        table.all().map(({ actorId, actorUsername, userAgent, ...entry }) => ({
          ...entry,
          actor_id: actorId ?? null,
          actor_username: actorUsername ?? null,
          user_agent: userAgent,
        })),
    };
  }
  const { database } = storage as PostgresStorage;
  return {
    log: auditLog({ store: sqlAuditStore(database), unitOfWork: storage.unitOfWork }),
    rows: (): Promise<readonly Row[]> =>
      database.kysely<{ audit_entry: Row }>().selectFrom('audit_entry').selectAll().orderBy('id').execute(),
  };
}

const at = new Date('2030-01-01T00:00:00.123Z');
const entry = (action: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  actorId: undefined,
  actorUsername: undefined,
  action,
  resource: 'user:1',
  ip: '192.0.2.1',
  userAgent: 'test',
  details: {},
  at,
  ...over,
});

void t.test('audit log', async (t) => {
  await eachEngine(t, async (t: Test, _engine, data) => {
    const storage = await data.open({ entities: [EntryTable], migrations: [setOf(audit)] });
    const { log, rows } = opened(storage);
    const { unitOfWork } = storage;

    await t.test('an entry outside of a unit of work is written by itself', async (t) => {
      await log.append(
        entry('user.login_failed', {
          actorId: '00000000-0000-4000-8000-000000000001',
          actorUsername: 'ada',
          details: { surface: 'login', "o'": ['"', { deep: 1 }] },
        }),
      );
      t.strictSame(
        (await rows()).map(({ id: _id, ...row }) => row),
        [
          {
            actor_id: '00000000-0000-4000-8000-000000000001',
            actor_username: 'ada',
            action: 'user.login_failed',
            resource: 'user:1',
            ip: '192.0.2.1',
            user_agent: 'test',
            details: { surface: 'login', "o'": ['"', { deep: 1 }] },
            at,
          },
        ],
      );
    });

    await t.test('an entry lives and dies with its unit of work', async (t) => {
      const before = (await rows()).length;
      await t.rejects(
        unitOfWork.run(async () => {
          await log.append(entry('user.created'));
          throw new Error('no');
        }),
        { message: 'no' },
      );
      t.equal((await rows()).length, before);
      await unitOfWork.run(async () => {
        await log.append(entry('user.updated'));
        await log.append(entry('user.suspended'));
      });
      const all = await rows();
      t.strictSame(
        all.slice(before).map(({ action }) => action),
        ['user.updated', 'user.suspended'],
      );
      t.strictSame(
        all.map(({ id }) => id),
        all.map(({ id }) => id).toSorted((a, b) => a - b),
      );
      t.equal(new Set(all.map(({ id }) => id)).size, all.length);
    });

    await t.test('hostile text is bounded and secrets are masked', async (t) => {
      await log.append(
        entry('x'.repeat(5000), {
          userAgent: `agent\0 svc_${'a'.repeat(36)} ${'x'.repeat(5000)}`,
          resource: "user:'; drop table audit_entry; --",
          details: { password: 'hunter22', note: 'nul\0' },
        }),
      );
      const row = (await rows()).at(-1);
      t.equal(row?.action.length, 100);
      t.equal(row?.user_agent.length, 512);
      t.notMatch(row?.user_agent, 'svc_a');
      t.equal(row?.resource, "user:'; drop table audit_entry; --");
      t.strictSame(row?.details, { password: '[redacted]', note: 'nul' });
    });
  });
});
