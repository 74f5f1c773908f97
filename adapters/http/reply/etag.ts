// Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13.1.2).
import { hash } from 'node:crypto';

/** The tag of a JSON body: a digest, so it changes whenever the body does. */
export const entityTag = (body: object): string => tagOfText(JSON.stringify(body));

/** The tag of a body, given its text. */
export const tagOfText = (text: string | Buffer): string => hash('sha256', text, 'base64url').slice(0, 27);

/** The suffixes that hapi appends to the tag of a compressed representation. */
const variant = /-(?:gzip|deflate)$/;

/** Whether If-None-Match contains the unquoted tag, by weak comparison (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag = ''] of ifNoneMatch.matchAll(/(?:W\/)?"([^"]*)"/g)) {
    if (tag === etag || tag.replace(variant, '') === etag) return true;
  }
  return false;
}
