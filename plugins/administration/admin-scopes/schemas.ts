// The JSON shapes of grants of admin scopes.
import { count, list, maybe, presenter, shape, text, time, uuid, word } from 'hexforge/plugin';

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

export const presentGrant = presenter(grantJson);
