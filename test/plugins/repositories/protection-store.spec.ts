// The contract suite of the store of branch protection on every engine.
import t from 'tap';
import { defaultProtection } from '#core/repositories/index';
import repositories from '#plugins/repositories/plugin';
import { protectionStore } from '#plugins/repositories/protection/store';
import { protectionStoreChecks } from '../../contracts/stores/protection-store.ts';
import { forgeStores } from '../forge-stores.ts';

const stores = forgeStores(repositories, {
  stores: { store: protectionStore },
});

void t.test('the contract suite finds mutants', (t) =>
  stores.find(t, protectionStoreChecks, {
    store: {
      'a lost write': () => ({ put: async () => undefined }),
      'rules of every repository': (store) => ({
        all: async () => store.all('the one and only'),
        put: (_, ...rest) => store.put('the one and only', ...rest),
      }),
      'the first rule stays': (store) => ({
        put: async (id, branch, ...rest) => {
          if (!(await store.all(id)).has(branch)) await store.put(id, branch, ...rest);
        },
      }),
      'forgotten roles': (store) => ({
        put: (id, branch, rule, at) => store.put(id, branch, { ...rule, pushRoles: defaultProtection.pushRoles }, at),
      }),
      'case that does not count': (store) => ({
        put: (id, branch, ...rest) => store.put(id, branch.toLowerCase(), ...rest),
      }),
      'nothing is deleted': () => ({ delete: async () => true }),
    },
  }),
);

void t.test('stores of branch protection', (t) => stores.hold(t, protectionStoreChecks));
