// The JSON shapes of labels, and the conversion of a label.
import { maybe, orNull, presenter, shape, text, uuid, word } from 'hexforge/plugin';
import { labelColor, maxLabelDescription, maxLabelName } from 'hexforge/planning';

const name = word().max(maxLabelName);
const color = word().pattern(labelColor, 'color of six hexadecimal digits');
const description = orNull(text().max(maxLabelDescription));

export const labelBody = shape({ name, color, description: maybe(description) }).id('LabelCreate');
export const labelChangeBody = shape({
  name: maybe(name),
  color: maybe(color),
  description: maybe(description),
}).id('LabelUpdate');

export const labelJson = shape({ id: uuid(), repo_id: uuid(), name, color, description }).id('Label');

export const presentLabel = presenter(labelJson, { repo_id: 'repositoryId' });
