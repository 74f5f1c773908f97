// The reads of objects: entries, listings, blobs, sizes and last commits, with caches by oid.
import { NotFound, Unprocessable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type { GitBackend, LastCommit, Oid, TreeEntry, TreeListing } from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { isOid, pathSegments } from '#adapters/git-common/names';
import { largestObject } from '../packs/formats.ts';

/** The most files whose sizes are counted. */
const mostCounted = 250_000;
/** Bytes of a blob that are sent in one piece. */
const stretch = 64 * 1024;
/** Bytes of a blob that is read between other short reads. */
const smallBlob = 1024 ** 2;

export function objectMethods({ inside, threads, limits }: Foundation) {
  const entries = new Lru<TreeEntry>(20_000);
  const trees = new Lru<TreeListing>(200_000);
  const lasts = new Lru<ReadonlyMap<string, LastCommit>>(200_000);
  /** Walks that are running, so that concurrent requests share one. */
  const walks = new Map<string, Promise<ReadonlyMap<string, LastCommit>>>();
  return {
    entry: inside(async (location, commit: Oid, path: string) => {
      if (!isOid(commit) || pathSegments(path) === undefined) return undefined;
      const key = `${location.cacheKey}:${commit}:${path}`;
      const known = entries.get(key);
      if (known !== undefined) return known;
      const entry = await threads.run('entry', location, { commit, path }, { kind: 'read' });
      if (entry !== undefined) entries.set(key, entry);
      return entry;
    }),
    tree: inside(async (location, tree: Oid) => {
      const key = `${location.cacheKey}:${tree}`;
      const known = trees.get(key);
      if (known !== undefined) return known;
      if (!isOid(tree)) throw new NotFound('There is no such tree');
      const listing = await threads.run('tree', location, tree, { kind: 'read' });
      trees.set(key, listing, 1 + listing.entries.length);
      return listing;
    }),
    blob: inside(async (location, oid: Oid, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      if (!isOid(oid)) throw new NotFound('There is no such blob');
      const content =
        (await threads.run('blob', location, { oid, most: smallBlob }, { kind: 'read', signal })) ??
        (await threads.run('blob', location, { oid, most: largestObject }, { kind: 'transfer', signal }));
      if (content === undefined)
        throw new Unprocessable('The file is too large for git-wasm', { code: 'unsupported_by_git_wasm' });
      return { oid, size: content.length, bytes: pieces(content, signal) };
    }),
    lastCommits: inside(async (location, commit: Oid, path: string, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      const segments = pathSegments(path);
      if (!isOid(commit) || segments === undefined) return new Map<string, LastCommit>();
      const key = `${location.cacheKey}:${commit}:${path}`;
      const known = lasts.get(key);
      if (known !== undefined) return known;
      const deadlineMs = limits.lastCommitsSeconds * 1000;
      const walk =
        walks.get(key) ??
        threads.run('lastCommits', location, { commit, path: segments }, { kind: 'compute', deadlineMs });
      walks.set(key, walk);
      try {
        const found = await walk;
        if (found.size > 0) lasts.set(key, found, 1 + found.size);
        return found;
      } finally {
        walks.delete(key);
      }
    }),
    sizes: inside(async (location, commit: Oid, group: (path: string) => string, signal?: AbortSignal) => {
      const { paths, sizes } = await threads.run(
        'fileSizes',
        location,
        { commit, most: mostCounted },
        { kind: 'compute', signal },
      );
      const sums = new Map<string, number>();
      for (const [index, path] of paths.entries()) {
        const name = group(path);
        if (name !== '') sums.set(name, (sums.get(name) ?? 0) + (sizes[index] ?? 0));
        if (index % 2000 === 1999) await new Promise((resolve) => setImmediate(resolve));
      }
      return sums;
    }),
  } satisfies Partial<GitBackend>;
}

async function* pieces(content: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += stretch) {
    signal?.throwIfAborted();
    yield content.subarray(at, at + stretch);
  }
}
