// The store of grants of admin scopes in memory.
import type { AdminGrantStore, AdminScopeGrant } from 'hexforge/administration';
import type { MemoryDatabase } from 'hexforge/plugin';

export function memoryAdminGrantStore(database: MemoryDatabase): AdminGrantStore {
  const grants = database.table<AdminScopeGrant>('administration_grant', {
    key: ['userId', 'scope'],
    references: { userId: { table: 'identity_user', onDelete: 'cascade' } },
  });
  return {
    async add(grant) {
      if (grants.get([grant.userId, grant.scope]) !== undefined) return false;
      grants.insert(grant);
      return true;
    },
    remove: async (userId, scope) => grants.delete([userId, scope]),
    ofUser: async (userId) => grants.find({ where: { userId }, orderBy: 'scope' }),
    ofScope: async (scope, slice) => ({
      grants: grants.find({ where: { scope }, orderBy: ['createdAt', 'userId'], ...slice }),
      total: grants.count({ scope }),
    }),
  } satisfies AdminGrantStore;
}
