// Parameters of a path that names a merge request.
import { Joi, shape, word } from 'hexforge/plugin';

/** In digits, however many: what is too large for any request is a number all the same, of none that is there. */
const number = (): Joi.NumberSchema =>
  Joi.number()
    .unsafe()
    .integer()
    .custom((value: number, helpers) =>
      /^\d+$/.test(String(helpers.original)) ? value : helpers.error('number.base'),
    );

export const mergePath = { owner: word(), repo: word(), number: number() };
export const mergeParams = shape(mergePath);
