// The JSON shapes of components.
import { maybe, presenter, shape, text, uuid, word } from 'hexforge/plugin';
import { maxNamedDescription, maxNamedName } from 'hexforge/issues';

const members = { name: word().max(maxNamedName), description: text().max(maxNamedDescription) };

export const componentBody = shape({ name: members.name, description: members.description.default('') }).id(
  'ComponentCreate',
);
export const componentChangeBody = shape({
  name: maybe(members.name),
  description: maybe(members.description),
}).id('ComponentUpdate');
export const componentJson = shape({ id: uuid(), ...members }).id('Component');
export const presentComponent = presenter(componentJson);
