// The JSON shapes of components, and the conversion of a component.
import { maybe, shape, text, uuid, word, type TypeOf } from 'hexforge/plugin';
import { maxNamedDescription, maxNamedName, type Component } from 'hexforge/issues';

const members = { name: word().max(maxNamedName), description: text().max(maxNamedDescription) };

export const componentBody = shape({ name: members.name, description: members.description.default('') }).id(
  'ComponentCreate',
);
export const componentChangeBody = shape({
  name: maybe(members.name),
  description: maybe(members.description),
}).id('ComponentUpdate');
export const componentJson = shape({ id: uuid(), ...members }).id('Component');

export const presentComponent = ({ id, name, description }: Component): TypeOf<typeof componentJson> => ({
  id,
  name,
  description,
});
