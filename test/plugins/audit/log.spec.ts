// The audit log on every engine: written with the change or not at all, numbered, and without secrets.
import t from 'tap';
import type { Test } from 'tap';
import type { MemoryStorage } from '#adapters/memory/index';
import type { PostgresStorage } from '#adapters/postgres/index';
import { auditLog } from '#core/audit/use-cases';
import type { AuditQuery, NumberedEntry } from '#core/audit/index';
import type { AuditAction, AuditEntry } from '#core/kernel/services/audit';
import { Unavailable } from '#core/kernel/errors';
import { memoryAuditStore } from '#plugins/audit/entries/store-memory';
import audit from '#plugins/audit/plugin';
import { sqlAuditStore } from '#plugins/audit/entries/store';
import { CountTable, EntryTable } from '#plugins/audit/tables';
import { eachEngine, setOf } from '#test/contracts/storage/storage-engines';

function opened(storage: MemoryStorage | PostgresStorage) {
  const store =
    storage.engine === 'memory'
      ? memoryAuditStore((storage as MemoryStorage).database)
      : sqlAuditStore((storage as PostgresStorage).database);
  const all: AuditQuery = {
    actor: undefined,
    action: undefined,
    from: undefined,
    to: undefined,
    limit: 1000,
    offset: 0,
  };
  return {
    store,
    all,
    log: auditLog({ store, unitOfWork: storage.unitOfWork }),
    /** The rows, oldest first. */
    rows: async (): Promise<readonly NumberedEntry[]> => (await store.list(all)).entries.toReversed(),
  };
}

const at = new Date('2030-01-01T00:00:00.123Z');
const entry = (action: AuditAction, over: Partial<AuditEntry> = {}): AuditEntry => ({
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
  await eachEngine(t, async (t: Test, engine, data) => {
    const storage = await data.open({ entities: [EntryTable, CountTable], migrations: [setOf(audit)] });
    const { log, rows, store, all } = opened(storage);
    const { unitOfWork } = storage;

    await t.test('an entry outside a unit of work is written alone', async (t) => {
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
            actorId: '00000000-0000-4000-8000-000000000001',
            actorUsername: 'ada',
            action: 'user.login_failed',
            resource: 'user:1',
            ip: '192.0.2.1',
            userAgent: 'test',
            details: { surface: 'login', "o'": ['"', { deep: 1 }] },
            at,
          },
        ],
      );
    });

    await t.test('an entry is committed or rolled back with its unit of work', async (t) => {
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

    await t.test('the total is exact, and includes no entry twice after counting up', async (t) => {
      const total = async () => (await store.list({ ...all, limit: 1 })).total;
      const before = await total();
      for (const minute of [0, 5, 10, 21]) {
        await log.append(entry('user.updated'));
        await unitOfWork.run(() => store.countUp(new Date(at.getTime() + minute * 60_000)));
      }
      t.equal(await total(), before + 4);
      t.equal((await store.list({ ...all, action: 'user.', limit: 1 })).total, before + 4, 'with a filter too');
    });

    if (engine !== 'memory')
      await t.test('entries older than ten minutes are counted from the stored count', async (t) => {
        const total = async () => (await store.list({ ...all, limit: 1 })).total;
        const before = await total();
        const em = (storage as PostgresStorage).database.em();
        const [counted] = await em.execute<{ entries: string }[]>('select entries::text from audit_count');
        t.equal(Number(counted?.entries), before - 1, 'all but the last');
        await em.execute('update audit_count set entries = entries + 100');
        t.equal(await total(), before + 100);
        await em.execute('update audit_count set entries = entries - 100');
      });

    await t.test('hostile text is bounded and secrets are masked', async (t) => {
      await log.append(
        entry('x'.repeat(5000) as AuditAction, {
          userAgent: `agent\0 svc_${'a'.repeat(36)} ${'x'.repeat(5000)}`,
          resource: "user:'; drop table audit_entry; --",
          details: { password: 'hunter22', note: 'nul\0' },
        }),
      );
      const row = (await rows()).at(-1);
      t.equal(row?.action.length, 100);
      t.equal(row?.userAgent.length, 512);
      t.notMatch(row?.userAgent, 'svc_a');
      t.equal(row?.resource, "user:'; drop table audit_entry; --");
      t.strictSame(row?.details, { password: '[redacted]', note: 'nul' });
    });

    await t.test(
      'the list is newest first, filtered by actor in any case, prefix of the action and time',
      async (t) => {
        const about = (action: AuditAction, actorUsername: string, time: string) =>
          log.append(entry(action, { actorUsername, at: new Date(time), resource: 'list:1' }));
        await about('token.created', 'Grace', '2031-01-01T00:00:00.000Z');
        await about('token.revoked', 'grace', '2031-01-01T23:59:59.999Z');
        await about('setting.updated', 'linus', '2031-01-02T00:00:00.000Z');
        await about('user_group.created', 'linus', '2031-01-03T00:00:00.000Z');
        const found = async (query: Partial<AuditQuery>) => {
          const { entries, total } = await store.list({ ...all, from: new Date('2031-01-01T00:00:00Z'), ...query });
          t.ok(total >= entries.length);
          return entries.map(({ action }) => action);
        };
        t.strictSame(await found({}), ['user_group.created', 'setting.updated', 'token.revoked', 'token.created']);
        t.strictSame(await found({ actor: 'GRACE' }), ['token.revoked', 'token.created']);
        t.strictSame(await found({ actor: 'grac' }), []);
        t.strictSame(await found({ action: 'token.' }), ['token.revoked', 'token.created']);
        t.strictSame(await found({ action: 'token_' }), [], 'not a pattern');
        t.strictSame(await found({ action: '%' }), []);
        t.strictSame(await found({ action: 'user_' }), ['user_group.created']);
        t.strictSame(await found({ action: '\\' }), []);
        t.strictSame(await found({ to: new Date('2031-01-01T23:59:59.999Z') }), ['token.revoked', 'token.created']);
        t.strictSame(await found({ from: new Date('2031-01-02T00:00:00.000Z'), actor: 'linus' }), [
          'user_group.created',
          'setting.updated',
        ]);
        t.strictSame(await found({ limit: 2, offset: 1 }), ['setting.updated', 'token.revoked']);
        t.equal((await store.list({ ...all, action: 'token.', limit: 1 })).total, 2, 'unpaged');
        const [newest] = (await store.list({ ...all, limit: 1 })).entries;
        t.strictSame(await store.byId(newest?.id ?? 0), newest);
        t.equal(await store.byId(Number.MAX_SAFE_INTEGER), undefined);
        const everything = (await store.list({ ...all, limit: 100 })).entries;
        const { limit: _limit, offset: _offset, ...none } = all;
        t.strictSame(await store.before(none, undefined, 2), everything.slice(0, 2), 'the newest');
        t.strictSame(await store.before(none, everything[1]?.id, 100), everything.slice(2));
        const resource = newest?.resource;
        t.strictSame(
          await store.before({ ...none, resource }, undefined, 100),
          everything.filter((entry) => entry.resource === resource),
        );
      },
    );

    await t.test('a failing audit log is Unavailable, and rolls the change back', async (t) => {
      const broken = auditLog({
        unitOfWork,
        store: {
          ...store,
          append: async (kept) => {
            await store.append(kept);
            throw Object.assign(new Error('new row violates a check'), { code: '23514' });
          },
        },
      });
      const before = (await rows()).length;
      const refused = { name: /AuditUnwritten|Unavailable/, message: /^The audit log could not take an entry/ };
      await t.rejects(broken.append(entry('user.created')), refused);
      const change = unitOfWork.run(async () => {
        await log.append(entry('user.updated'));
        await broken.append(entry('user.created'));
      });
      await t.rejects(change, refused);
      t.ok((await change.catch((error: unknown) => error)) instanceof Unavailable);
      t.equal((await rows()).length, before);
    });
  });
});
