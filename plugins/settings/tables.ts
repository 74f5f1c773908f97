// The table of stored settings.
import { defineEntity, p } from 'hexforge/plugin';

export const SettingTable = defineEntity({
  name: 'settings.Setting',
  tableName: 'settings_setting',
  properties: {
    key: p.text().primary(),
    text: p.text(),
    sealed: p.boolean(),
    updatedAt: p.datetime(),
    hexforgePlugin: p.text().nullable(),
  },
});
