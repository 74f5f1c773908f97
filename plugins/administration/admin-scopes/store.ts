// The stores of grants of admin scopes, in SQL and in memory.
import type { AdminGrantStore, AdminScopeGrant } from 'hexforge/administration';
import { rows, storeOf } from 'hexforge/plugin';
import { GrantTable } from '../tables.ts';

const grants = rows<AdminScopeGrant>(GrantTable, {
  references: { userId: { table: 'identity_user', onDelete: 'cascade' } },
});

export const adminGrantStore = storeOf({ grants }, ({ grants }): AdminGrantStore => ({
  add: async (grant) => (await grants.addMany([grant])) > 0,
  remove: async (userId, scope) => (await grants.delete({ userId, scope })) !== undefined,
  ofUser: (userId) => grants.find({ where: { userId }, orderBy: ['scope'] }),
  ofScope: async (scope, slice) => ({
    grants: await grants.find({ where: { scope }, orderBy: ['createdAt', 'userId'], ...slice }),
    total: await grants.count({ scope }),
  }),
}));
