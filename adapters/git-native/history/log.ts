// The commit log and merge bases: each page of history is one `git rev-list`.
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git/git-backend';
import type { CommitRecord, HistoryQuery } from '#core/repositories/git/git-history';
import type { GitProcesses } from '../process/git-process.ts';
import type { Limiter } from '../process/limiter.ts';
import { linesOf } from '../process/lines.ts';
import { refuseTooCostly } from '../process/too-costly.ts';
import { pathSegments } from '../names.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Commits } from './commits.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';

/** git counts in 32 bits; no history is longer. */
const farthest = 2 ** 31 - 1;
/** A number of commits that git skips in negligible time. */
const near = 2000;

export class CommitLog {
  readonly #processes: GitProcesses;
  readonly #interactive: Limiter;
  readonly #heavy: Limiter;
  readonly #commits: Commits;
  readonly #deadlineMs: number;
  readonly #pages = new SingleFlightCache<readonly Oid[]>(200_000, (oids) => 1 + oids.length);
  readonly #bases = new SingleFlightCache<readonly Oid[]>(20_000, () => 1);

  constructor(parts: {
    readonly processes: GitProcesses;
    readonly interactive: Limiter;
    readonly heavy: Limiter;
    readonly commits: Commits;
    readonly deadlineMs: number;
  }) {
    this.#processes = parts.processes;
    this.#interactive = parts.interactive;
    this.#heavy = parts.heavy;
    this.#commits = parts.commits;
    this.#deadlineMs = parts.deadlineMs;
  }

  async page(
    location: RepositoryLocation,
    query: HistoryQuery,
    signal?: AbortSignal,
  ): Promise<readonly CommitRecord[]> {
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
    const limiter =
      path === '' && author === undefined && until === undefined && skip < near ? this.#interactive : this.#heavy;
    const oids = await this.#pages.get(
      `${location.id}:${JSON.stringify(args)}`,
      signal,
      (inner) => this.#walk(location, args, query, inner),
      limiter,
    );
    return await this.#commits.all(location, oids);
  }

  async mergeBase(location: RepositoryLocation, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined> {
    if (one === other) return one;
    const bases = await this.#bases.get(
      `${location.id}:${one}:${other}`,
      signal,
      (inner) => this.#mergeBases(location, one, other, inner),
      this.#heavy,
    );
    return bases[0];
  }

  forget(location: RepositoryLocation): void {
    this.#pages.forget(`${location.id}:`);
    this.#bases.forget(`${location.id}:`);
  }

  /** Lists the oids of a page, and reads the commits while git looks for the next ones. */
  async #walk(
    location: RepositoryLocation,
    args: readonly string[],
    { tip, limit }: HistoryQuery,
    signal: AbortSignal,
  ): Promise<readonly Oid[]> {
    const process = await this.#processes.start([`--git-dir=${location.directory}`, 'rev-list', ...args], {
      directory: location.directory,
      deadlineMs: this.#deadlineMs,
      signal,
    });
    process.stdin.end();
    // Starts the process that reads objects before git names the other commits.
    this.#commits.prefetch(location, tip);
    const oids: Oid[] = [];
    for await (const named of linesOf(process)) {
      for (const oid of named) this.#commits.prefetch(location, oid);
      oids.push(...named);
      if (oids.length >= limit) return oids;
    }
    const { code } = await process.ended;
    signal.throwIfAborted();
    refuseTooCostly(process, 'rev-list');
    if (code === null)
      throw new Unavailable(`git rev-list was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later',
      });
    if (code !== 0)
      throw new Internal(`git rev-list failed in repository "${location.id}"`, { detail: process.stderr });
    return oids;
  }

  async #mergeBases(location: RepositoryLocation, one: Oid, other: Oid, signal: AbortSignal): Promise<readonly Oid[]> {
    const { code, stdout, stderr } = await this.#processes.run(
      [`--git-dir=${location.directory}`, 'merge-base', one, other],
      { directory: location.directory, deadlineMs: this.#deadlineMs, signal },
    );
    // 1 if there is no merge base.
    if (code > 1) throw new Internal(`git merge-base failed in repository "${location.id}"`, { detail: stderr });
    return stdout
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '');
  }
}

/** Seconds since 1970, at least 0. */
const seconds = (date: Date): number => Math.max(0, Math.floor(date.getTime() / 1000));
