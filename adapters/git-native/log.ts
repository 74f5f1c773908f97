// Walks over commits by one rev-list each: the pages of a history, and where two commits met last.
import { Internal } from '#core/kernel/errors';
import type { Oid } from '#core/repositories/git-backend';
import type { CommitRecord, HistoryQuery } from '#core/repositories/git-history';
import type { Commits } from './commits.ts';
import type { Lane } from './lane.ts';
import { Memo } from './memo.ts';
import { segments } from './names.ts';
import type { Place } from './objects.ts';
import type { GitProcesses } from './process.ts';

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

  constructor(parts: { readonly processes: GitProcesses; readonly interactive: Lane; readonly heavy: Lane; readonly commits: Commits; readonly deadlineMs: number }) {
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
      `--max-count=${limit}`, `--skip=${skip}`,
      ...(author === undefined ? [] : ['--fixed-strings', `--author=${author}`]),
      ...(since === undefined ? [] : [`--max-age=${seconds(since)}`]),
      ...(until === undefined ? [] : [`--min-age=${seconds(until)}`]),
      tip, ...(except === undefined ? [] : [`^${except}`]),
      '--', ...(path === '' ? [] : [path]),
    ];
    // Where nothing is searched for, git stops as soon as the page is full.
    const lane = path === '' && author === undefined && until === undefined && skip < near ? this.#interactive : this.#heavy;
    const [oids] = await Promise.all([
      this.#pages.get(`${place.id}:${JSON.stringify(args)}`, signal, async (inner) => lines(await this.#walk(place, lane, ['rev-list', ...args], inner))),
      // So that what reads the others is there when they are named.
      this.#commits.one(place, tip),
    ]);
    return await this.#commits.all(place, oids);
  }

  async mergeBase(place: Place, one: Oid, other: Oid, signal?: AbortSignal): Promise<Oid | undefined> {
    if (one === other) return one;
    const bases = await this.#bases.get(`${place.id}:${one}:${other}`, signal, async (inner) => lines(await this.#walk(place, this.#heavy, ['merge-base', one, other], inner)));
    return bases[0];
  }

  forget(place: Place): void {
    this.#pages.forget(`${place.id}:`);
    this.#bases.forget(`${place.id}:`);
  }

  async #walk(place: Place, lane: Lane, args: readonly string[], signal: AbortSignal): Promise<string> {
    const { code, stdout, complaint } = await lane.run(() => this.#processes.run([`--git-dir=${place.directory}`, ...args], { directory: place.directory, deadlineMs: this.#deadlineMs, signal }), signal);
    // merge-base says 1 where there is none.
    if (code !== 0 && !(args[0] === 'merge-base' && code === 1)) throw new Internal(`git ${args[0] ?? ''} failed in repository "${place.id}"`, { detail: complaint });
    return stdout.toString('latin1');
  }
}

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
/** Before 1970 there is nothing. */
const seconds = (date: Date): number => Math.max(0, Math.floor(date.getTime() / 1000));
