// The JSON shapes of versions, and the conversion of a version.
import { day, flag, maybe, orNull, shape, text, uuid, word, type TypeOf } from 'hexforge/plugin';
import { maxNamedDescription, maxNamedName, type Version } from 'hexforge/issues';

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

export const presentVersion = (version: Version): TypeOf<typeof versionJson> => ({
  id: version.id,
  name: version.name,
  description: version.description,
  released: version.released,
  release_date: version.releaseDate,
});

/** Renames the members of a body to those of the command. */
export const readVersion = ({ release_date, ...same }: TypeOf<typeof versionBody>) => ({
  ...same,
  releaseDate: release_date,
});
export const readVersionChange = ({ release_date, ...same }: TypeOf<typeof versionChangeBody>) => ({
  ...same,
  ...(release_date !== undefined && { releaseDate: release_date }),
});
