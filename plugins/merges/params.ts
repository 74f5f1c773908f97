// The parameters of a path with a merge request.
import { Joi, shape, word } from 'hexforge/plugin';

/**
 * Any number of digits. A number that is too large is still valid, and results in 404 because no such request exists.
 */
const number = (): Joi.NumberSchema =>
  Joi.number()
    .unsafe()
    .integer()
    .custom((value: number, helpers) =>
      /^\d+$/.test(String(helpers.original)) ? value : helpers.error('number.base'),
    );

export const mergePath = { owner: word(), repo: word(), number: number() };
export const mergeParams = shape(mergePath);
