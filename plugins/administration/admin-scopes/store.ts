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
  async holders(scopes, limit) {
    const query = { where: {}, among: { scope: scopes }, orderBy: ['userId', 'scope'] } as const;
    const found = await grants.find({ ...query, limit: limit * scopes.length });
    return [...new Set(found.map(({ userId }) => userId))].slice(0, limit);
  },
  ofScope: async (scope, slice) => ({
    grants: await grants.find({ where: { scope }, orderBy: ['createdAt', 'userId'], ...slice }),
    total: await grants.count({ scope }),
  }),
  page: (where, page) => grants.page({ where, orderBy: [{ desc: 'createdAt' }, 'userId', 'scope'] }, page),
}));
