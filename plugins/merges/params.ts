// The paths of merge requests, their parameters, and the access.
import { Joi, shape, word } from 'hexforge/plugin';
import { mergeAccess } from 'hexforge/merges';

/** The base path of all routes of merge requests. */
export const mergesPath = '/repos/{owner}/{repo}/merges';
export const requestPath = `${mergesPath}/{number}`;
export const { reading, writing } = mergeAccess;

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
