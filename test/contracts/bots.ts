// Contract checks for the port BotAccounts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { BotAccounts } from '#core/kernel/access/bots';
import type { Check } from './checks.ts';

export interface BotAccountsUnderTest {
  readonly bots: BotAccounts;
  /** Suspends the account with this id. */
  readonly suspend: (id: string) => Promise<unknown>;
}

const newPlugin = (): string => `plugin-${randomUUID()}`;

async function made(bots: BotAccounts, plugin: string): Promise<{ readonly id: string; readonly username: string }> {
  await bots.ensure(plugin);
  const account = await bots.of(plugin);
  assert.ok(account);
  return account;
}

export const botAccountsChecks: readonly Check<BotAccountsUnderTest>[] = [
  {
    name: 'a plugin has no account before it is created, and one afterwards',
    async run({ bots }) {
      const plugin = newPlugin();
      assert.equal(await bots.of(plugin), undefined);
      const account = await made(bots, plugin);
      assert.deepEqual(account, { ...account, username: `${plugin}[bot]`, suspended: false });
      assert.deepEqual(await made(bots, plugin), account);
    },
  },
  {
    name: 'concurrent calls create one account',
    async run({ bots }) {
      const plugin = newPlugin();
      await Promise.all(Array.from({ length: 4 }, () => bots.ensure(plugin)));
      assert.equal((await bots.of(plugin))?.username, `${plugin}[bot]`);
    },
  },
  {
    name: 'two plugins with similar names have different accounts',
    async run({ bots }) {
      const begin = newPlugin();
      const [one, other] = [await made(bots, begin), await made(bots, `${begin}-2`)];
      assert.notEqual(one.id, other.id);
      assert.notEqual(one.username, other.username);
    },
  },
  {
    name: 'a suspended account stays and is reported as suspended',
    async run({ bots, suspend }) {
      const plugin = newPlugin();
      const { id } = await made(bots, plugin);
      await suspend(id);
      assert.deepEqual(await made(bots, plugin), { id, username: `${plugin}[bot]`, suspended: true });
    },
  },
];
