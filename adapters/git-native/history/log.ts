// The commit log and merge bases: each page of history is one `git rev-list`.
import type { Oid } from '#core/repositories/git/git-backend';
import type { CommitRecord, HistoryQuery } from '#core/repositories/git/git-history';
import type { Foundation } from '../foundation.ts';
import { linesOf } from '../process/records.ts';
import { pathSegments } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Commits } from './commits.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { WithParts } from '../with-parts.ts';

/** git counts in 32 bits; no history is longer. */
const farthest = 2 ** 31 - 1;
/** A number of commits that git skips in negligible time. */
const near = 2000;

export class CommitLog extends WithParts<Foundation & { readonly commits: Commits }> {
  readonly #pages = new SingleFlightCache<readonly Oid[]>(200_000, (oids) => 1 + oids.length);
  readonly #bases = new SingleFlightCache<readonly Oid[]>(20_000, () => 1);

  async page(
    location: RepositoryLocation,
    query: HistoryQuery,
    signal?: AbortSignal,
  ): Promise<readonly CommitRecord[]> {
    const { interactive, heavy, commits } = this.parts;
    const { tip, except, path = '', author, since, until, skip, limit } = query;
    if (skip > farthest || limit < 1 || pathSegments(path) === undefined) return [];
    const args = [
      `--max-count=${limit}`,
      `--skip=${skip}`,
      ...(author === undefined ? [] : ['--fixed-strings', `--author=${author}`]),
      ...(since === undefined ? [] : [`--max-age=${seconds(since)}`]),
      ...(until === undefined ? [] : [`--min-age=${seconds(until)}`]),
      tip,
      ...(except === undefined ? [] : [`^${except}`]),
      '--',
      ...(path === '' ? [] : [path]),
    ];
    // Without a filter git stops as soon as the page is full, so the walk counts as a short process.
    const isShort = path === '' && author === undefined && until === undefined && skip < near;
    const oids = await this.#pages.get(
      `${location.cacheKey}:${JSON.stringify(args)}`,
      signal,
      (inner) => this.#walk(location, args, query, inner),
      isShort ? interactive : heavy,
    );
    return await commits.all(location, oids);
  }

  async mergeBase(location: RepositoryLocation, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined> {
    if (one === other) return one;
    const bases = await this.#bases.get(
      `${location.cacheKey}:${one}:${other}`,
      signal,
      (inner) => this.#mergeBases(location, one, other, inner),
      this.parts.heavy,
    );
    return bases[0];
  }

  /** Lists the oids of a page, and reads the commits while git looks for the next ones. */
  async #walk(
    location: RepositoryLocation,
    args: readonly string[],
    { tip, limit }: HistoryQuery,
    signal: AbortSignal,
  ): Promise<readonly Oid[]> {
    const { processes, commits, deadlineMs } = this.parts;
    const process = await processes.startIn(location, ['rev-list', ...args], { input: '', deadlineMs, signal });
    // Starts the process that reads objects before git names the other commits.
    commits.prefetch(location, tip);
    const oids: Oid[] = [];
    for await (const named of linesOf(process)) {
      for (const oid of named) commits.prefetch(location, oid);
      oids.push(...named);
      if (oids.length >= limit) return oids;
    }
    await process.success();
    return oids;
  }

  async #mergeBases(location: RepositoryLocation, one: Oid, other: Oid, signal: AbortSignal): Promise<readonly Oid[]> {
    const { processes, deadlineMs } = this.parts;
    // 1 if there is no merge base.
    const options = { deadlineMs, signal, maxCode: 1 };
    const { stdout } = await processes.runIn(location, ['merge-base', one, other], options);
    return stdout
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '');
  }
}

/** Seconds since 1970, at least 0. */
const seconds = (date: Date): number => Math.max(0, Math.floor(date.getTime() / 1000));
