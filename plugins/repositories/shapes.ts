// The access, path parameters and shapes of object ids that several nouns of this plugin share.
import { changes, Joi, reads, shape, word } from 'hexforge/plugin';

export const reading = { access: reads('repository', 'repo.read'), scope: 'repo.read' } as const;
export const writing = { access: changes('repository', 'repo.write'), scope: 'repo.write' } as const;

/** The parameters of a path that starts with `/repos/{owner}/{repo}`, for routes with further parameters. */
export const inRepository = { owner: word(), repo: word() } as const;

/** A file or folder at a ref: `{ref}/{path*}`. */
export const fileAtRefParams = shape({
  ...inRepository,
  ref: word().description('Branch, tag or commit; may hold slashes'),
  path: rest('Of a file'),
});

/** The rest of a path. If it is empty, `.` is used, which does not exist in git and so results in 404. */
export function rest(description: string): Joi.StringSchema {
  return word().required().failover('.').description(description);
}

export const sha = (): Joi.StringSchema => Joi.string().hex().length(40);
