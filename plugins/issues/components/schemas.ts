// Shapes of components over HTTP (document D, "Issues"), and how a component becomes one.
import { maybe, pageOf, shape, text, uuid, word, type TypeOf } from 'hexforge/plugin';
import type { Component } from 'hexforge/issues';

const members = { name: word().max(100), description: text().max(1000) };

export const componentBody = shape({ name: members.name, description: members.description.default('') }).id(
  'ComponentCreate',
);
export const componentChangeBody = shape({
  name: maybe(members.name),
  description: maybe(members.description),
}).id('ComponentUpdate');
export const componentJson = shape({ id: uuid(), ...members }).id('Component');
export const componentPageJson = pageOf(componentJson).id('ComponentPage');

export const presentComponent = ({ id, name, description }: Component): TypeOf<typeof componentJson> => ({
  id,
  name,
  description,
});
