// The response cache: serialized JSON bodies, plain and in gzip, by caller, input and entity tag.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Caller } from '#core/kernel/caller';
import { Lru } from '#core/kernel/limits/lru';

const mostBytes = 32 * 1024 ** 2;
/** Bytes counted for each entry in addition to its key and body. */
const overhead = 200;

export interface CachedResponse {
  readonly body: Buffer;
  /** Headers of this answer in addition to those of the route. */
  readonly headers: Readonly<Record<string, string>>;
}

export class ResponseCache {
  readonly #entries = new Lru<CachedResponse>(mostBytes);

  get(key: string): CachedResponse | undefined {
    return this.#entries.get(key);
  }

  set(key: string, response: CachedResponse): void {
    this.#entries.set(key, response, overhead + key.length + response.body.length);
  }

  /** The gzip form of a cached body; it is cached too. */
  async gzipped(key: string, body: Buffer): Promise<Buffer> {
    const own = `gzip ${key}`;
    const known = this.#entries.get(own);
    if (known !== undefined) return known.body;
    const smaller = await promisify(gzip)(body);
    this.set(own, { body: smaller, headers: {} });
    return smaller;
  }
}

/**
 * The cache key of an answer. It contains the caller with the credential, because a token may see less than a session
 * of the same user, and the administrator flag, which may be revoked. `caller` is undefined if the route promises the
 * same answer to all callers. The input is the validated one, so that unknown query parameters make no new key. No part
 * except the input can contain a space.
 */
export const cacheKey = (caller: Caller | undefined, route: string, input: readonly unknown[], etag: string): string =>
  `${whose(caller)} ${route} ${JSON.stringify(input)} ${etag}`;

function whose(caller: Caller | undefined): string {
  if (caller === undefined) return 'all';
  if (caller.kind === 'anonymous') return 'anonymous';
  const { id, isAdmin, credential } = caller;
  return `${isAdmin ? 'admin' : 'user'}:${id}:${credential.kind}:${credential.id}`;
}
