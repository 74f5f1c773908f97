// Shapes of labels over HTTP, and how a label becomes one.
import { maybe, presenter, shape, uuid, word } from 'hexforge/plugin';

const members = { name: word().max(50), color: word().pattern(/^#[0-9a-f]{6}$/) };

export const labelBody = shape(members).id('LabelCreate');
export const labelChangeBody = shape({ name: maybe(members.name), color: maybe(members.color) }).id('LabelUpdate');
export const labelJson = shape({ id: uuid(), ...members }).id('Label');

export const presentLabel = presenter(labelJson);
