// The JSON shapes of /admin/settings.
import { flag, list, shape, text, word } from 'hexforge/plugin';

/** The most settings that one batch may change. */
const batchLimit = 1000;

export const settingJson = shape({
  key: word(),
  value: text().description('`********` in the place of a sensitive one'),
  description: text(),
  sensitive: flag(),
  default: text(),
}).id('Setting');
export const settingListJson = list(settingJson);

/** Not bounded here: each setting declares its own maximum length, and the body has a limit. */
const value = text().description('Booleans and numbers as strings; `********` leaves a sensitive one as it is');

export const settingValueBody = shape({ value }).id('SettingValue');
export const settingValueJson = shape({ key: word(), value: text() }).id('SettingWritten');
const settingChangeBody = shape({ key: word().max(256), value }).id('SettingChange');
export const settingBatchBody = shape({ settings: list(settingChangeBody).max(batchLimit) }).id('SettingBatch');
export const settingBatchJson = list(settingValueJson);
