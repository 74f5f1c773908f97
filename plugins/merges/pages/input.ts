// Reads parameters and fields that pages and forms of merge requests have in common.
import { Joi, maybe, NotFound, text, uuid, uuidPattern } from 'hexforge/plugin';
import { longestText } from 'hexforge/merges';

/** The number in a path; 0, which no request has, for another text. */
export const numberIn = (params: { readonly number?: unknown }): number =>
  /^\d{1,10}$/.test(String(params.number)) ? Number(params.number) : 0;

/** The id of a comment in a path. @throws {NotFound} for another text */
export function commentIn({ cid }: { readonly cid: string }): string {
  if (uuidPattern.test(cid)) return cid.toLowerCase();
  throw new NotFound('There is no such comment');
}

export const people = () => maybe(text().max(10_000));
/** The values of boxes with the same name: none, one or several. */
export const uuids = () => maybe(Joi.array<readonly string[]>().items(uuid()).single().max(1000));
export const spoken = () => maybe(text().max(longestText));
export const ticked = () => maybe(Joi.string().valid('true'));
/** A query parameter. */
export const given = () => maybe(text().max(4096));
