// The reads of history: commits, pages of commits, merge bases, tips and divergence, with caches by oid.
import { Lru } from '#core/kernel/limits/lru';
import type {
  BlamedLine,
  CommitRecord,
  Divergence,
  GitBackend,
  HistoryQuery,
  Oid,
  Tip,
} from '#core/repositories/git/git-backend';
import type { Foundation } from '../foundation.ts';
import { isOid, pathSegments } from '#adapters/git-common/names';

/** git counts in 32 bits; no history is longer. */
const farthest = 2 ** 31 - 1;
/** Objects read by one task, so that other reads need not wait for thousands. */
const readAtOnce = 500;

export function historyMethods({ inside, threads }: Foundation) {
  const records = new Lru<CommitRecord>(20_000);
  const pages = new Lru<readonly CommitRecord[]>(50_000);
  const known = new Lru<Divergence>(50_000);
  /** Weighed by characters. */
  const blamed = new Lru<readonly BlamedLine[]>(8_000_000);
  return {
    commitRecord: inside(async (location, commit: Oid) => {
      if (!isOid(commit)) return undefined;
      const key = `${location.cacheKey}:${commit}`;
      const found = records.get(key) ?? (await threads.run('commitRecord', location, commit, { kind: 'read' }));
      if (found !== undefined) records.set(key, found);
      return found;
    }),
    history: inside(async (location, query: HistoryQuery, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      const { tip, except, path: text = '', author, since, until, skip, limit } = query;
      const path = pathSegments(text);
      if (skip > farthest || limit < 1 || path === undefined || !isOid(tip)) return [];
      const asked = {
        tip,
        except,
        path,
        author,
        since: since && seconds(since),
        until: until && seconds(until),
        skip,
        limit,
      };
      const key = `${location.cacheKey}:${JSON.stringify(asked)}`;
      const cached = pages.get(key);
      if (cached !== undefined) return cached;
      const found = await threads.run('history', location, asked, { kind: 'compute', signal });
      if (found.length > 0) pages.set(key, found, 1 + found.length);
      return found;
    }),
    mergeBase: inside(async (location, one: Oid, other: Oid, signal?: AbortSignal) => {
      if (one === other) return one;
      return (await threads.run('mergeBases', location, { one, other }, { kind: 'compute', signal }))[0];
    }),
    blame: inside(async (location, commit: Oid, path: string, signal?: AbortSignal) => {
      if (path === '' || pathSegments(path) === undefined || !isOid(commit)) return undefined;
      const key = `${location.cacheKey}:${commit}:${path}`;
      const cached = blamed.get(key);
      if (cached !== undefined) return cached;
      const lines = await threads.run('blame', location, { commit, path }, { kind: 'compute', signal });
      if (lines !== undefined)
        blamed.set(
          key,
          lines,
          lines.reduce((sum, { content }) => sum + 60 + content.length, 100),
        );
      return lines;
    }),
    tips: inside(async (location, oids: readonly Oid[]) => {
      const wanted = [...new Set(oids)].filter(isOid);
      const found: (Tip | undefined)[] = [];
      for (let at = 0; at < wanted.length; at += readAtOnce)
        found.push(...(await threads.run('tips', location, wanted.slice(at, at + readAtOnce), { kind: 'read' })));
      return new Map<Oid, Tip>(
        wanted.flatMap((oid, index) => (found[index] === undefined ? [] : [[oid, found[index]]])),
      );
    }),
    divergence: inside(async (location, base: Oid, heads: readonly Oid[], signal?: AbortSignal) => {
      const keyOf = (head: Oid): string => `${location.cacheKey}:${base}:${head}`;
      const asked = heads.filter((head) => known.get(keyOf(head)) === undefined);
      const fresh =
        asked.length === 0
          ? []
          : await threads.run('divergences', location, { base, heads: asked }, { kind: 'compute', signal });
      const answers = new Map<Oid, Divergence>();
      for (const [index, head] of asked.entries()) {
        const found = fresh[index];
        if (found === undefined) continue;
        known.set(keyOf(head), found);
        answers.set(head, found);
      }
      for (const head of heads) {
        const found = answers.get(head) ?? known.get(keyOf(head));
        if (found !== undefined) answers.set(head, found);
      }
      return answers;
    }),
  } satisfies Partial<GitBackend>;
}

/** Seconds since 1970, at least 0. */
const seconds = (date: Date): number => Math.max(0, Math.floor(date.getTime() / 1000));
