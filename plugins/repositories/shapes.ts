// Shapes that the nouns of this plugin share: the path to a repository, and object ids.
import { Joi, shape, word } from 'hexforge/plugin';

/** Members of a path that begins with `/repos/{owner}/{repo}`, for one with a further parameter of its own shape. */
export const inRepository = { owner: word(), repo: word() } as const;

/** A file or folder at a ref: `{ref}/{path*}`. */
export const fileAtRefParams = shape({
  ...inRepository,
  ref: word().description('Branch, tag or commit; may hold slashes'),
  path: rest('Of a file'),
});

/** The rest of a path. Where there is none: `.` names nothing in git, so it is 404 as for every folder. */
export function rest(description: string): Joi.StringSchema {
  return word().required().failover('.').description(description);
}

export const sha = (): Joi.StringSchema => Joi.string().hex().length(40);
