// Files and folders of a commit: tree entries with their sizes, and blobs. Blobs are read through the pool; large ones
// are streamed from a separate process.
import { NotFound } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { Blob, Oid, TreeEntry, TreeListing } from '#core/repositories/git/git-backend';
import { byteStream, prefixed } from '../process/byte-stream.ts';
import { fewFiles } from '#adapters/git-common/files/few-files';
import type { Foundation } from '../foundation.ts';
import { transferTimes } from '../process/limits.ts';
import { TooCostly } from '../process/too-costly.ts';
import { isOid, pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { largestRead } from './cat-file.ts';
import type { Objects } from './objects.ts';
import { decodeName } from '#adapters/git-common/objects/text';
import type { RawEntry } from './tree.ts';
import { WithParts } from '../with-parts.ts';

const types: Readonly<Record<string, TreeEntry['type']>> = {
  '040000': 'directory',
  '120000': 'symlink',
  '160000': 'submodule',
};

/** Sizes requested at the same time. */
const atOnce = 500;

export class Contents extends WithParts<Foundation & { readonly objects: Objects }> {
  /** Tree listings as the port returns them, with sizes. Weighed by entries. */
  readonly #listings = new Lru<TreeListing>(50_000);
  readonly #sizes = new Lru<number>(50_000);

  async entry(location: RepositoryLocation, commit: Oid, path: string): Promise<TreeEntry | undefined> {
    const parts = pathSegments(path);
    if (parts === undefined || !(await this.parts.objects.is(location, commit, 'commit'))) return undefined;
    const root = (await this.parts.objects.commit(location, commit))?.tree;
    const name = parts.at(-1);
    if (root === undefined) return undefined;
    if (name === undefined) return { name: '', type: 'directory', mode: '040000', oid: root, size: 0 };
    const folder = await this.parts.objects.folder(location, root, parts.slice(0, -1));
    const found =
      folder === undefined ? undefined : await (await this.parts.objects.tree(location, folder))?.find(name);
    if (found === undefined) return undefined;
    const key = `${location.cacheKey}:${found.oid}`;
    const entry = await this.#sized(location, name, found, this.#sizes.get(key));
    this.#sizes.set(key, entry.size);
    return entry;
  }

  /** @throws {NotFound} if the tree does not exist. */
  async tree(location: RepositoryLocation, tree: Oid): Promise<TreeListing> {
    const key = `${location.cacheKey}:${tree}`;
    const known = this.#listings.get(key);
    if (known !== undefined) return known;
    const raw = (await this.parts.objects.is(location, tree, 'tree'))
      ? await this.parts.objects.tree(location, tree)
      : undefined;
    if (raw === undefined) throw new NotFound('The tree is not in the repository', { detail: `tree: "${tree}"` });
    const { entries: first, truncated } = raw.first();
    const entries = await fewFiles(first, (entry) => this.#sized(location, decodeName(entry.name), entry), atOnce);
    const listing = { entries, truncated };
    this.#listings.set(key, listing, 1 + entries.length);
    return listing;
  }

  /** @throws {NotFound} if the blob does not exist. */
  async blob(location: RepositoryLocation, oid: Oid, signal?: AbortSignal): Promise<Blob> {
    const found = isOid(oid) ? await this.parts.objects.header(location, oid) : undefined;
    if (found?.type !== 'blob') throw new NotFound('The file is not in the repository', { detail: `blob: "${oid}"` });
    signal?.throwIfAborted();
    if (found.size > Math.min(this.parts.limits.pooledBlobBytes, largestRead))
      return { oid, size: found.size, bytes: await this.#streamed(location, oid, signal) };
    const object = await this.parts.objects.contents(location, oid).catch((error: unknown) => {
      // A separate process may use more memory than a reader of the pool.
      if (error instanceof TooCostly) return undefined;
      throw error;
    });
    const bytes = object === undefined ? await this.#streamed(location, oid, signal) : chunksOf(object.content);
    return { oid, size: found.size, bytes };
  }

  async #sized(
    location: RepositoryLocation,
    name: string,
    { mode, oid }: RawEntry,
    known?: number,
  ): Promise<TreeEntry> {
    const type = types[mode] ?? 'file';
    const size =
      type === 'file' || type === 'symlink'
        ? (known ?? (await this.parts.objects.header(location, oid))?.size ?? 0)
        : 0;
    return { name, type, mode, oid, size };
  }

  async #streamed(
    location: RepositoryLocation,
    oid: Oid,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<Uint8Array>> {
    const { limits, processes, transfers } = this.parts;
    const options = { input: '', ...transferTimes(limits), signal };
    const start = () => processes.startIn(location, ['cat-file', 'blob', oid], options);
    const stream = byteStream(await transfers.start(start, signal), limits);
    // Waits for the first bytes, so that a failure can still be returned as an error.
    const first = await stream.next();
    return prefixed(first.done === true ? [] : [first.value], stream);
  }
}

/** Bytes: small enough for the buffers of a slow client and for consumers that process each piece at once. */
const piece = 64 * 1024;

/**
 * Yields one event loop iteration between two pieces. All pieces are in memory, so a reader would otherwise never wait.
 */
export async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += piece) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    yield content.subarray(at, at + piece);
  }
}
