// The paths of merge requests, their parameters, and the access.
import { changes, Joi, shape, word } from 'hexforge/plugin';
import { mergeAccess } from 'hexforge/merges';

/** The base path of all routes of merge requests. */
export const mergesPath = '/repos/{owner}/{repo}/merges';
export const requestPath = `${mergesPath}/{number}`;
export const { reading, writing } = mergeAccess;

/**
 * Requires a user who may read. The use case checks further rights, because they depend on the author and the source
 * repository. Other users get 403, also if the repository is private.
 */
export const own = { access: changes('repository', 'repo.read', { hidden: 403 }), scope: 'repo.write' } as const;
/** For existing comments. The use case checks further rights, because they depend on the author. */
export const changingComment = { access: changes('repository', 'repo.read'), scope: 'repo.write' } as const;
/** Other users get 403, also if the repository is private. */
export const merging = { access: changes('repository', 'merge.merge', { hidden: 403 }), scope: 'repo.write' } as const;

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
