// The tables of the administration of the instance.
import { defineEntity, p, type AdminScope } from 'hexforge/plugin';

export const GrantTable = defineEntity({
  name: 'administration.Grant',
  tableName: 'administration_grant',
  properties: {
    userId: p.uuid().primary(),
    scope: p.text().$type<AdminScope>().primary(),
    /** Not a foreign key: a grant remains if the account that gave it is deleted. */
    grantedBy: p.uuid(),
    createdAt: p.datetime(),
  },
});

export const KnownPluginTable = defineEntity({
  name: 'administration.KnownPlugin',
  tableName: 'administration_known_plugin',
  properties: { name: p.text().primary() },
});

export const administrationEntities = [GrantTable, KnownPluginTable] as const;
