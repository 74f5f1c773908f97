// The JSON shape of blame.
import { Joi, list, shape, text, time, type TypeOf } from 'hexforge/plugin';
import { sha } from '../shapes.ts';

const blameLineJson = shape({
  line_number: Joi.number().integer().min(1),
  content: text(),
  sha: sha(),
  author_name: text(),
  author_email: text(),
  author_date: time(),
}).id('BlameLine');
export type BlameLineJson = TypeOf<typeof blameLineJson>;

export const blameJson = list(blameLineJson);
