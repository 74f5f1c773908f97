// The comparisons of commits, with caches by oid.
import { NotFound, Unavailable, Unprocessable } from '#core/kernel/errors';
import { Lru } from '#core/kernel/limits/lru';
import type {
  DiffCaps,
  Difference,
  GitBackend,
  Oid,
  Patch,
  PatchQuery,
  TreeChangeSlice,
} from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { isOid } from '#adapters/git-common/names';

/** Characters of all cached answers together. */
const [keptDifferences, keptPatches] = [16_000_000, 32_000_000];

export function diffMethods({ inside, threads }: Foundation) {
  const differences = new Lru<Difference>(keptDifferences);
  const patches = new Lru<Patch>(keptPatches);
  const assertOids = (...oids: readonly (Oid | undefined)[]): void => {
    if (oids.some((oid) => oid !== undefined && !isOid(oid))) throw new NotFound('There is no such commit');
  };
  return {
    treeChanges: inside(
      async (location, from: Oid | undefined, to: Oid, { after, limit }: TreeChangeSlice, signal?: AbortSignal) => {
        assertOids(from, to);
        return await threads.run('treeChanges', location, { from, to, after, limit }, { kind: 'compute', signal });
      },
    ),
    difference: inside(async (location, from: Oid | undefined, to: Oid, signal?: AbortSignal) => {
      assertOids(from, to);
      const key = `${location.cacheKey}:${from}:${to}`;
      const known = differences.get(key);
      if (known !== undefined) return known;
      const found = await threads.run('difference', location, { from, to }, { kind: 'compute', signal });
      const weight = found.files.reduce((sum, { path, patch }) => sum + 200 + path.length + (patch?.length ?? 0), 200);
      differences.set(key, found, weight);
      return found;
    }),
    patch: inside(async (location, query: PatchQuery, caps: DiffCaps, signal?: AbortSignal) => {
      assertOids(query.from, query.to);
      const key = `${location.cacheKey}:${JSON.stringify([query, caps])}`;
      const known = patches.get(key);
      if (known !== undefined) return known;
      try {
        const found = await threads.run('patch', location, { query, caps }, { kind: 'compute', signal });
        patches.set(key, found, weightOf(found));
        return found;
      } catch (error) {
        if (!(error instanceof Unavailable) || signal?.aborted === true) throw error;
        throw new Unprocessable('The commits are too far apart to be compared', {
          detail: error.message,
          cause: error,
        });
      }
    }),
  } satisfies Partial<GitBackend>;
}

const weightOf = ({ files }: Patch): number =>
  files.reduce(
    (weight, { sections }) =>
      sections.reduce(
        (sum, { header, hunks, literal = '' }) => sum + header.length + hunks.length + literal.length,
        weight + 500,
      ),
    300,
  );
