// The order of building: after the plugins that are needed, otherwise as configured.
import t from 'tap';
import type { PluginDefinition } from '#host/plugin/definition';
import { order } from '#host/plugin/order';
import { provision } from '#host/plugin/plan';

const definition = (name: string): PluginDefinition => ({ name, version: '1.0.0', api: '*' });

/** `needs`: plugin → the plugins it needs. Names in the order of the configuration. */
const ordered = (names: string, needs: Readonly<Record<string, string>>) => {
  const all = [...names].map(definition);
  return order(all, ({ name }) =>
    [...(needs[name] ?? '')].flatMap((wanted) => all.find((other) => other.name === wanted) ?? []),
  );
};
const sorted = (names: string, needs: Readonly<Record<string, string>>) =>
  ordered(names, needs)
    .sorted?.map(({ name }) => name)
    .join('');

void t.test('without needs the configuration decides', async (t) => {
  t.equal(sorted('dacb', {}), 'dacb');
});

void t.test('needed plugins are built first, the others keep their order', async (t) => {
  t.equal(sorted('abcd', { a: 'd' }), 'dabc');
  t.equal(sorted('abcd', { a: 'cb', c: 'd' }), 'dcba');
  t.equal(sorted('abcdef', { f: 'a', b: 'f' }), 'afbcde');
});

void t.test(
  'a cycle is returned from its first to its last member, without plugins that only lead to it',
  async (t) => {
    t.strictSame(
      ordered('abcd', { a: 'b', b: 'c', c: 'b', d: 'a' }).cycle?.map(({ name }) => name),
      ['b', 'c'],
    );
    t.strictSame(
      ordered('a', { a: 'a' }).cycle?.map(({ name }) => name),
      ['a'],
    );
  },
);

void t.test(
  'a plugin with a bot starts after the plugin that stores accounts and their first administrator',
  async (t) => {
    const lights: PluginDefinition = { ...definition('lights'), needs: ['Bot'] };
    const accounts: PluginDefinition = {
      ...definition('accounts'),
      provides: { BotAccounts: () => ({ ensure: async () => undefined, of: async () => undefined }) },
    };
    const all = [lights, accounts];
    t.strictSame(order(all, provision(all, {}).dependenciesOf).sorted, [accounts, lights]);
  },
);
