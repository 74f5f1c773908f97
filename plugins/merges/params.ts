// The paths of merge requests, their parameters, and the access.
import { changes, Joi, reads, shape, word } from 'hexforge/plugin';

/** The base path of all routes of merge requests. */
export const mergesPath = '/repos/{owner}/{repo}/merges';
export const requestPath = `${mergesPath}/{number}`;
export const reading = { access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;
export const writing = { access: changes('repository', 'repo.write'), scope: 'repo.write' } as const;

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
