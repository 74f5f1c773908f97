// Contract checks for AuditLog, Settings, RepositorySettings and RepositorySettingWriter.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AuditAction, AuditEntry, AuditLog } from '#core/kernel/services/audit';
import type { RepositorySettingKey, RepositorySettings } from '#core/kernel/services/repository-settings';
import type { SettingDeclaration, SettingKey, Settings } from '#core/kernel/services/settings';
import type { UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { RepositorySettingWriter } from '#core/repositories/index';
import type { Check } from '../checks.ts';

export interface AuditLogUnderTest {
  readonly log: AuditLog;
  readonly unitOfWork: UnitOfWork;
  /** The entries with this action, oldest first. */
  entries(action: AuditAction): Promise<readonly AuditEntry[]>;
}

const entry = (values: Partial<AuditEntry> = {}): AuditEntry => ({
  actorId: undefined,
  actorUsername: undefined,
  action: `contract.${randomUUID()}` as AuditAction,
  resource: 'contract:1',
  ip: '192.0.2.1',
  userAgent: 'contract',
  details: { old: 1, new: ['a', null] },
  at: new Date('2026-01-02T03:04:05.678Z'),
  ...values,
});

export const auditLogChecks: readonly Check<AuditLogUnderTest>[] = [
  {
    name: 'an entry is stored as given, inside a unit of work and outside',
    async run({ log, unitOfWork, entries }) {
      const [inside, outside] = [entry({ actorId: randomUUID(), actorUsername: 'ada' }), entry()];
      await unitOfWork.run(() => log.append(inside));
      await log.append(outside);
      for (const given of [inside, outside]) {
        const [kept, ...more] = await entries(given.action);
        assert.deepEqual(more, []);
        for (const [name, value] of Object.entries(given))
          assert.deepEqual(kept?.[name as keyof AuditEntry] ?? undefined, value, name);
      }
    },
  },
  {
    name: 'an entry of a rolled-back unit of work is not stored',
    async run({ log, unitOfWork, entries }) {
      const given = entry();
      const reason = new Error('rolled back');
      await assert.rejects(
        unitOfWork.run(async () => {
          await log.append(given);
          throw reason;
        }),
        (error) => error === reason,
      );
      assert.deepEqual(await entries(given.action), []);
    },
  },
  {
    name: 'entries keep their order, and concurrent entries are all stored',
    async run({ log, entries }) {
      const { action } = entry();
      for (const n of [1, 2, 3]) await log.append(entry({ action, details: { n } }));
      assert.deepEqual(
        (await entries(action)).map(({ details }) => details),
        [{ n: 1 }, { n: 2 }, { n: 3 }],
      );
      await Promise.all(Array.from({ length: 10 }, () => log.append(entry({ action }))));
      assert.equal((await entries(action)).length, 13);
    },
  },
  {
    name: 'members with a secret name are stored without their value',
    async run({ log, entries }) {
      const given = entry({ details: { password: 'hunter2', client_secret: 'hunter2', nested: { token: 'hunter2' } } });
      await log.append(given);
      assert.doesNotMatch(JSON.stringify(await entries(given.action)), /hunter2/);
    },
  },
];

export interface SettingsUnderTest {
  readonly settings: Settings;
  /** Settings that plugins declared. */
  readonly declared: readonly SettingDeclaration[];
}

export const settingsChecks: readonly Check<SettingsUnderTest>[] = [
  {
    name: 'each setting has a value of its type and within its bounds',
    async run({ settings, declared }) {
      assert.notEqual(declared.length, 0);
      for (const setting of declared) {
        const value: unknown = await settings.get(setting.key);
        assert.equal(typeof value, setting.type === 'integer' ? 'number' : setting.type, setting.key);
        if (setting.type === 'integer')
          assert.ok(Number(value) >= setting.min && Number(value) <= setting.max, setting.key);
      }
    },
  },
  {
    name: 'reading an undeclared setting rejects',
    async run({ settings }) {
      for (const key of ['contract.unheard_of', 'constructor', '__proto__'])
        await assert.rejects(settings.get(key as SettingKey), Error, key);
    },
  },
];

export interface RepositorySettingsUnderTest {
  readonly settings: RepositorySettings;
  /** A declared setting of repositories. */
  readonly declared: SettingDeclaration<string>;
  /** The id of a repository that has a stored value, which is not the default. */
  readonly known: { readonly repositoryId: string; readonly value: boolean | number | string };
  /** The id of a repository without a stored value. */
  readonly fresh: string;
}

export const repositorySettingsChecks: readonly Check<RepositorySettingsUnderTest>[] = [
  {
    name: 'a repository has its stored value, and another the default',
    async run({ settings, declared, known, fresh }) {
      const get = (id: string): Promise<unknown> => settings.get(id, declared.key as RepositorySettingKey);
      assert.equal(await get(known.repositoryId), known.value);
      for (const id of [fresh, randomUUID(), 'no id', '']) assert.equal(await get(id), declared.default, id);
    },
  },
  {
    name: 'one read returns the values of many repositories by id',
    async run({ settings, declared, known, fresh }) {
      const key = declared.key as RepositorySettingKey;
      const [unknown, none] = [randomUUID(), 'no id'];
      assert.deepEqual(
        await settings.getMany([known.repositoryId, fresh, unknown, none, fresh], key),
        new Map<string, unknown>([
          [known.repositoryId, known.value],
          ...[fresh, unknown, none].map((id) => [id, declared.default] as const),
        ]),
      );
      assert.deepEqual(await settings.getMany([], key), new Map());
      const many = Array.from({ length: 1000 }, () => randomUUID());
      assert.equal((await settings.getMany(many, key)).size, 1000);
      await assert.rejects(settings.getMany([...many, fresh], key), Error);
    },
  },
  {
    name: 'reading an undeclared setting rejects',
    async run({ settings, fresh }) {
      for (const key of ['contract.unheard_of', 'constructor', '__proto__']) {
        await assert.rejects(settings.get(fresh, key as RepositorySettingKey), Error, key);
        await assert.rejects(settings.getMany([fresh], key as RepositorySettingKey), Error, key);
      }
    },
  },
];

export interface RepositorySettingWriterUnderTest {
  readonly writer: RepositorySettingWriter;
  readonly settings: RepositorySettings;
  /** The proof that a caller administers a repository. */
  readonly granted: Parameters<RepositorySettingWriter['write']>[0];
  /** A declared setting of repositories, and two of its values as text. */
  readonly declared: SettingDeclaration<string>;
  readonly values: readonly [string, string];
}

export const repositorySettingWriterChecks: readonly Check<RepositorySettingWriterUnderTest>[] = [
  {
    name: 'a written value is read',
    async run({ writer, settings, granted, declared: { key }, values }) {
      for (const value of values) {
        await writer.write(granted, [{ key, value }]);
        assert.equal(String(await settings.get(granted.resource.id, key as RepositorySettingKey)), value);
      }
    },
  },
  {
    name: 'an invalid change rejects, and nothing of its list is written',
    async run({ writer, settings, granted, declared: { key }, values: [first, second] }) {
      await writer.write(granted, [{ key, value: first }]);
      for (const changes of [
        [
          { key, value: second },
          { key: 'contract.unheard_of', value: '1' },
        ],
        [
          { key, value: second },
          { key, value: second },
        ],
      ]) {
        await assert.rejects(writer.write(granted, changes), Error);
        assert.equal(String(await settings.get(granted.resource.id, key as RepositorySettingKey)), first);
      }
    },
  },
];
