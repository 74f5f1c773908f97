// The JSON shapes of versions.
import { day, flag, maybe, orNull, presenter, shape, text, uuid, word } from 'hexforge/plugin';
import { maxNamedDescription, maxNamedName } from 'hexforge/issues';

const name = word().max(maxNamedName);
const description = text().max(maxNamedDescription);
const released = flag().strict();

export const versionBody = shape({
  name,
  description: description.default(''),
  released: released.default(false),
  release_date: orNull(day()).default(null),
}).id('VersionCreate');
export const versionChangeBody = shape({
  name: maybe(name),
  description: maybe(description),
  released: maybe(released),
  release_date: maybe(orNull(day())),
}).id('VersionUpdate');
export const versionJson = shape({
  id: uuid(),
  name,
  description,
  released: flag(),
  release_date: orNull(day()),
}).id('Version');
export const presentVersion = presenter(versionJson);
