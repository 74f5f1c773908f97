// JSON bodies as they were sent, by what was asked for and the entity tag it had: what many look at is put into words
// once, and compressed once.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Lru } from '#core/kernel/lru';

const mostBytes = 32 * 1024 ** 2;

export class KeptBodies {
  readonly #known = new Lru<Buffer>(mostBytes);

  get(key: string): Buffer | undefined {
    return this.#known.get(key);
  }

  keep(key: string, body: Buffer): void {
    this.#known.set(key, body, overhead + key.length + body.length);
  }

  /** The same in gzip, of a body that is kept. */
  async gzipped(key: string, body: Buffer): Promise<Buffer> {
    const own = `gzip ${key}`;
    const known = this.#known.get(own);
    if (known !== undefined) return known;
    const smaller = await promisify(gzip)(body);
    this.keep(own, smaller);
    return smaller;
  }
}

/** Of an entry, whatever it holds. */
const overhead = 200;
