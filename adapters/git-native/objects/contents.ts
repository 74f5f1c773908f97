// Files and folders of a commit: entries with their sizes, and blobs, from the pool or by a process of their own when
// large.
import type { Buffer } from 'node:buffer';
import { Internal, NotFound } from '#core/kernel/errors';
import { Lru } from '#core/kernel/lru';
import type { Blob, Oid, TreeEntry } from '#core/repositories/git-backend';
import { byteStream } from '../process/byte-stream.ts';
import { largestRead } from './cat-file.ts';
import type { Lane } from '../process/limiter.ts';
import type { GitLimits } from '../process/limits.ts';
import { isOid, segments } from '../refs/names.ts';
import { entryNamed, readable, unpack, type Objects, type Place, type RawEntry } from './objects.ts';
import type { GitProcesses } from '../process/git-process.ts';

const types: Readonly<Record<string, TreeEntry['type']>> = {
  '040000': 'directory',
  '120000': 'symlink',
  '160000': 'submodule',
};

export class Contents {
  readonly #objects: Objects;
  readonly #processes: GitProcesses;
  readonly #transfers: Lane;
  readonly #limits: GitLimits;
  /** Trees as the port shows them, with sizes. Weighed by entries. */
  readonly #listings = new Lru<readonly TreeEntry[]>(100_000);
  readonly #sizes = new Lru<number>(50_000);

  constructor(parts: {
    readonly objects: Objects;
    readonly processes: GitProcesses;
    readonly transfers: Lane;
    readonly limits: GitLimits;
  }) {
    this.#objects = parts.objects;
    this.#processes = parts.processes;
    this.#transfers = parts.transfers;
    this.#limits = parts.limits;
  }

  async entry(place: Place, commit: Oid, path: string): Promise<TreeEntry | undefined> {
    const parts = segments(path);
    if (parts === undefined || !(await this.#objects.is(place, commit, 'commit'))) return undefined;
    const root = (await this.#objects.commit(place, commit))?.tree;
    const name = parts.at(-1);
    if (root === undefined) return undefined;
    if (name === undefined) return { name: '', type: 'directory', mode: '040000', oid: root, size: 0 };
    const folder = await this.#objects.folder(place, root, parts.slice(0, -1));
    const found = folder === undefined ? undefined : entryNamed(await this.#objects.tree(place, folder), name);
    if (found === undefined) return undefined;
    const key = `${place.id}:${found.oid}`;
    const entry = await this.#sized(place, name, found, this.#sizes.get(key));
    this.#sizes.set(key, entry.size);
    return entry;
  }

  /** @throws {NotFound} */
  async tree(place: Place, tree: Oid): Promise<readonly TreeEntry[]> {
    const key = `${place.id}:${tree}`;
    const known = this.#listings.get(key);
    if (known !== undefined) return known;
    const raw = (await this.#objects.is(place, tree, 'tree')) ? await this.#objects.tree(place, tree) : undefined;
    if (raw === undefined) throw new NotFound('The tree is not in the repository', { detail: `tree: "${tree}"` });
    const listing = await Promise.all(
      [...raw].map(([name, entry]) => this.#sized(place, readable(name), unpack(entry))),
    );
    this.#listings.set(key, listing, 1 + listing.length);
    return listing;
  }

  /** @throws {NotFound} */
  async blob(place: Place, oid: Oid, signal?: AbortSignal): Promise<Blob> {
    const found = isOid(oid) ? await this.#objects.header(place, oid) : undefined;
    if (found?.type !== 'blob') throw new NotFound('The file is not in the repository', { detail: `blob: "${oid}"` });
    signal?.throwIfAborted();
    if (found.size > Math.min(this.#limits.pooledBlobBytes, largestRead))
      return { oid, size: found.size, bytes: await this.#streamed(place, oid, signal) };
    const content = (await this.#objects.contents(place, oid))?.content;
    if (content === undefined)
      throw new Internal('A git object vanished while it was read', { detail: `blob: "${oid}"` });
    return { oid, size: found.size, bytes: chunksOf(content) };
  }

  forget(place: Place): void {
    this.#listings.forget(`${place.id}:`);
    this.#sizes.forget(`${place.id}:`);
  }

  async #sized(place: Place, name: string, { mode, oid }: RawEntry, known?: number): Promise<TreeEntry> {
    const type = types[mode] ?? 'file';
    const size =
      type === 'file' || type === 'symlink' ? (known ?? (await this.#objects.header(place, oid))?.size ?? 0) : 0;
    return { name, type, mode, oid, size };
  }

  async #streamed(place: Place, oid: Oid, signal: AbortSignal | undefined): Promise<AsyncIterable<Uint8Array>> {
    const leave = await this.#transfers.enter(signal);
    try {
      const process = await this.#processes.start([`--git-dir=${place.directory}`, 'cat-file', 'blob', oid], {
        directory: place.directory,
        deadlineMs: this.#limits.transferSeconds * 1000,
        idleMs: this.#limits.idleSeconds * 1000,
        ...(signal === undefined ? {} : { signal }),
      });
      process.stdin.end();
      return byteStream(process, { onEnd: leave });
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Pieces small enough for a slow reader's buffers. */
async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  const piece = 256 * 1024;
  for (let at = 0; at < content.length; at += piece) yield content.subarray(at, at + piece);
}
