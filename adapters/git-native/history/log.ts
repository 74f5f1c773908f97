// Walks over commits by one rev-list each: the pages of a history, and where two commits met last.
import { Internal, Unavailable } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { CommitRecord, HistoryQuery } from '#core/repositories/git-history';
import type { Commits } from './commits.ts';
import type { Lane } from '../process/limiter.ts';
import { linesOf } from '../process/lines.ts';
import { Memo } from './single-flight-cache.ts';
import { segments } from '../refs/names.ts';
import type { Place } from '../objects/objects.ts';
import type { GitProcesses } from '../process/git-process.ts';

/** git counts in 32 bits; no history is so long. */
const farthest = 2 ** 31 - 1;
/** Commits that git passes over in no time. */
const near = 2000;

export class Log {
  readonly #processes: GitProcesses;
  readonly #interactive: Lane;
  readonly #heavy: Lane;
  readonly #commits: Commits;
  readonly #deadlineMs: number;
  readonly #pages = new Memo<readonly Oid[]>(200_000, (oids) => 1 + oids.length);
  readonly #bases = new Memo<readonly Oid[]>(20_000, () => 1);

  constructor(parts: {
    readonly processes: GitProcesses;
    readonly interactive: Lane;
    readonly heavy: Lane;
    readonly commits: Commits;
    readonly deadlineMs: number;
  }) {
    this.#processes = parts.processes;
    this.#interactive = parts.interactive;
    this.#heavy = parts.heavy;
    this.#commits = parts.commits;
    this.#deadlineMs = parts.deadlineMs;
  }

  async page(place: Place, query: HistoryQuery, signal?: AbortSignal): Promise<readonly CommitRecord[]> {
    const { tip, except, path = '', author, since, until, skip, limit } = query;
    if (skip > farthest || limit < 1 || segments(path) === undefined) return [];
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
    // Where nothing is searched for, git stops as soon as the page is full.
    const lane =
      path === '' && author === undefined && until === undefined && skip < near ? this.#interactive : this.#heavy;
    const oids = await this.#pages.get(`${place.id}:${JSON.stringify(args)}`, signal, (inner) =>
      lane.run(() => this.#walk(place, args, query, inner), inner),
    );
    return await this.#commits.all(place, oids);
  }

  async mergeBase(place: Place, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined> {
    if (one === other) return one;
    const bases = await this.#bases.get(`${place.id}:${one}:${other}`, signal, (inner) =>
      this.#heavy.run(() => this.#mergeBases(place, one, other, inner), inner),
    );
    return bases[0];
  }

  forget(place: Place): void {
    this.#pages.forget(`${place.id}:`);
    this.#bases.forget(`${place.id}:`);
  }

  /** Commits are read while git looks for the next. */
  async #walk(
    place: Place,
    args: readonly string[],
    { tip, limit }: HistoryQuery,
    signal: AbortSignal,
  ): Promise<readonly Oid[]> {
    const process = await this.#processes.start([`--git-dir=${place.directory}`, 'rev-list', ...args], {
      directory: place.directory,
      deadlineMs: this.#deadlineMs,
      signal,
    });
    process.stdin.end();
    // So that what reads the others is there when they are named.
    this.#commits.expect(place, tip);
    const oids: Oid[] = [];
    for await (const named of linesOf(process)) {
      for (const oid of named) this.#commits.expect(place, oid);
      oids.push(...named);
      if (oids.length >= limit) return oids;
    }
    const { code } = await process.ended;
    signal.throwIfAborted();
    if (code === null)
      throw new Unavailable(`git rev-list was stopped: ${process.stopped ?? 'by a signal'}`, {
        detail: 'Try again later',
      });
    if (code !== 0)
      throw new Internal(`git rev-list failed in repository "${place.id}"`, { detail: process.complaint });
    return oids;
  }

  async #mergeBases(place: Place, one: Oid, other: Oid, signal: AbortSignal): Promise<readonly Oid[]> {
    const { code, stdout, complaint } = await this.#processes.run(
      [`--git-dir=${place.directory}`, 'merge-base', one, other],
      { directory: place.directory, deadlineMs: this.#deadlineMs, signal },
    );
    // 1 where there is none.
    if (code > 1) throw new Internal(`git merge-base failed in repository "${place.id}"`, { detail: complaint });
    return stdout
      .toString('latin1')
      .split('\n')
      .filter((line) => line !== '');
  }
}

/** Before 1970 there is nothing. */
const seconds = (date: Date): number => Math.max(0, Math.floor(date.getTime() / 1000));
