// Entity tags and conditional requests (RFC 9110, sections 8.8.3 and 13.1.2).
import { hash } from 'node:crypto';

/** The tag of a JSON body: a digest, so that it changes whenever anything the caller sees does. */
export const entityTag = (body: object): string => tagOfText(JSON.stringify(body));

/** That of a body by its text. */
export const tagOfText = (text: string | Buffer): string => hash('sha256', text, 'base64url').slice(0, 27);

/** The suffixes by which hapi tells the compressed representations of one entity apart. */
const variant = /-(?:gzip|deflate)$/;

/** Whether If-None-Match names the unquoted tag, by the weak comparison the header asks for. */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, tag = ''] of ifNoneMatch.matchAll(/(?:W\/)?"([^"]*)"/g)) {
    if (tag === etag || tag.replace(variant, '') === etag) return true;
  }
  return false;
}
