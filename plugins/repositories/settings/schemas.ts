// The JSON shapes of the settings of repositories.
import { list, oneOf, shape, text, word } from 'hexforge/plugin';

/** The most settings that one batch may change. */
const batchLimit = 1000;

const value = () => text().description('Booleans and numbers as strings');

export const settingListJson = list(
  shape({
    key: word(),
    value: value(),
    description: text(),
    type: oneOf('boolean', 'integer', 'string'),
    default: text(),
  }).id('RepositorySetting'),
);

/** Not bounded here: each setting declares its own maximum length, and the body has a limit. */
const changeBody = shape({ key: word().max(256), value: value() }).id('RepositorySettingChange');
export const settingBatchBody = shape({ settings: list(changeBody).max(batchLimit) }).id('RepositorySettingBatch');
export const settingBatchJson = list(shape({ key: word(), value: text() }).id('RepositorySettingWritten'));
