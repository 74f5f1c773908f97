// The JSON shapes of grants of admin scopes.
import type { AdminScopeGrant } from 'hexforge/administration';
import { count, list, maybe, shape, text, time, uuid, word, type TypeOf } from 'hexforge/plugin';

const scope = () => word().max(100);

export const grantJson = shape({ user_id: uuid(), scope: word(), granted_by: uuid(), created_at: time() }).id(
  'AdminScopeGrant',
);
export const grantListJson = shape({ grants: list(grantJson), total: count() }).id('AdminScopeGrantList');
export const grantPageJson = shape({
  grants: list(grantJson),
  total: count(),
  limit: count(),
  offset: count(),
}).id('AdminScopeGrantPage');

export const grantBody = shape({ scope: scope().description('`admin:users` and the like') }).id(
  'AdminScopeGrantCreate',
);
export const grantQuery = shape({
  scope: scope().empty(''),
  limit: maybe(text().description('1 to 500, anything else is 500; default 50')),
  offset: maybe(text().description('Default 0')),
});
export const userParams = shape({ uid: uuid() });
export const grantParams = shape({ uid: uuid(), scope: word() });

export const presentGrant = (grant: AdminScopeGrant): TypeOf<typeof grantJson> => ({
  user_id: grant.userId,
  scope: grant.scope,
  granted_by: grant.grantedBy,
  created_at: grant.createdAt.toISOString(),
});
