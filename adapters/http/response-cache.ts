// The response cache: serialized JSON bodies, plain and in gzip, by caller, input and entity tag.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Caller } from '#core/kernel/caller';
import { Lru } from '#core/kernel/lru';

const mostBytes = 32 * 1024 ** 2;
/** Of an entry, whatever it holds. */
const overhead = 200;

export interface CachedResponse {
  readonly body: Buffer;
  /** Of its own, beside those of the route. */
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

  /** The same in gzip, of a body that is cached. */
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
 * Under which key an answer is cached. The caller is part of it, with the credential, as a token may be shown less than
 * a session of the same user, and with the flag, which an administrator may lose; `caller` is undefined where the route
 * promises the same answer to all. The input is what was read of the URL, so that parameters nobody knows make no new
 * key. No part but the input can hold a space.
 */
export const cacheKey = (caller: Caller | undefined, route: string, input: readonly unknown[], etag: string): string =>
  `${whose(caller)} ${route} ${JSON.stringify(input)} ${etag}`;

function whose(caller: Caller | undefined): string {
  if (caller === undefined) return 'all';
  if (caller.kind === 'anonymous') return 'anonymous';
  const { id, isAdmin, credential } = caller;
  return `${isAdmin ? 'admin' : 'user'}:${id}:${credential.kind}:${credential.id}`;
}
