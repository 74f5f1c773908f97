// The stores of a small plugin, written for every engine as a plugin writes them; the storage contracts are checked
// with them.
import { defineEntity, p } from '@mikro-orm/core';
import type { MemoryDatabase } from '#adapters/memory/index';
import type { MemoryStorage } from '#adapters/memory/index';
import type { MigrationSet, SqlDatabase } from '#adapters/postgres/index';
import type { PostgresStorage } from '#adapters/postgres/index';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}

/** Accounts, stored through entities. Names are unique: `ledger_account_name`. */
export interface Accounts {
  add(account: Account): Promise<void>;
  find(id: string): Promise<Account | undefined>;
  /** Reads an account and locks it until the unit of work ends. */
  lock(id: string): Promise<Account | undefined>;
  setBalance(id: string, balance: number): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Notes, stored through rows. */
export interface Journal {
  append(id: string, text: string): Promise<void>;
  texts(prefix: string): Promise<readonly string[]>;
}

export interface Ledger {
  readonly accounts: Accounts;
  readonly journal: Journal;
}

const AccountSchema = defineEntity({
  name: 'ledger.Account',
  tableName: 'ledger_account',
  properties: { id: p.uuid().primary(), name: p.string(), balance: p.integer() },
});
class AccountEntity extends AccountSchema.class {}
AccountSchema.setClass(AccountEntity);

interface Tables {
  ledger_account: { id: string; name: string; balance: number };
  ledger_note: { id: string; text: string };
}

export const ledgerEntities = [AccountSchema];

export const ledgerMigrations: readonly MigrationSet[] = [
  {
    plugin: 'ledger',
    tables: ['ledger_account', 'ledger_note', 'ledger_card'],
    migrations: [
      {
        name: '001-ledger',
        up: [
          'create table ledger_account (id uuid primary key, name text not null, balance integer not null, constraint ledger_account_name unique (name))',
          'create table ledger_note (id uuid primary key, text text not null)',
          'create table ledger_card (id uuid primary key, account_id uuid not null references ledger_account on delete restrict)',
        ],
      },
    ],
  },
];

export function ledgerOf(storage: MemoryStorage | PostgresStorage): Ledger {
  return storage.engine === 'memory' ? memoryLedger(storage.database) : sqlLedger(storage.database);
}

export function sqlLedger(database: SqlDatabase): Ledger {
  const rows = () => database.kysely<Tables>();
  return {
    accounts: {
      async add(account) {
        const em = database.em();
        em.create(AccountEntity, account);
        if (!em.isInTransaction()) await em.flush();
      },
      async find(id) {
        const found = await database.em().findOne(AccountEntity, { id });
        return found === null ? undefined : { id: found.id, name: found.name, balance: found.balance };
      },
      lock: (id) => rows().selectFrom('ledger_account').selectAll().where('id', '=', id).forUpdate().executeTakeFirst(),
      async setBalance(id, balance) {
        await rows().updateTable('ledger_account').set({ balance }).where('id', '=', id).execute();
      },
      async remove(id) {
        await database.em().nativeDelete(AccountEntity, { id });
      },
    },
    journal: {
      async append(id, text) {
        await rows().insertInto('ledger_note').values({ id, text }).execute();
      },
      async texts(prefix) {
        return (
          await rows()
            .selectFrom('ledger_note')
            .select('text')
            .where('text', 'like', `${prefix}%`)
            .orderBy('text')
            .execute()
        ).map(({ text }) => text);
      },
    },
  };
}

export function memoryLedger(database: MemoryDatabase, { unique = true } = {}): Ledger {
  const accounts = database.table<Account>('ledger_account', {
    key: (row) => row.id,
    uniques: unique ? { ledger_account_name: (row) => row.name } : {},
  });
  const notes = database.table<Tables['ledger_note']>('ledger_note', { key: (row) => row.id });
  return {
    accounts: {
      add: async (account) => accounts.insert(account),
      find: async (id) => accounts.get(id),
      lock: async (id) => accounts.get(id),
      setBalance: async (id, balance) => {
        accounts.update(id, { balance });
      },
      remove: async (id) => {
        accounts.delete(id);
      },
    },
    journal: {
      append: async (id, text) => notes.insert({ id, text }),
      texts: async (prefix) =>
        notes
          .all()
          .map(({ text }) => text)
          .filter((text) => text.startsWith(prefix))
          .sort(),
    },
  };
}
