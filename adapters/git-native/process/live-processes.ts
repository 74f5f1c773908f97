// A registry of the live server processes that share a data root, by folder and heartbeat, with a mark for each change
// that one of them is making: so what a dead one left is told from what a living one is writing.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { errnoOf, ignoreMissing } from '../storage/errno.ts';
import { killMarked, startTimeOf, thisHost } from './process-table.ts';

const heartbeatMs = 30_000;
/** A process of another host is alive while it has said so within this time. */
const silence = 4 * heartbeatMs;
/** In the environment of every program that a process starts: its folder. */
const variable = 'HEXFORGE_PROCESS';
const marksFolder = 'marks';

/** What is being changed in a repository: refs and `HEAD`, or what lies below `objects`. */
export type Changed = 'refs' | 'objects';

/** A change that is being made. */
export interface ChangeMark {
  readonly repository: string;
  readonly changed: Changed;
  readonly path: string;
  /** When it began, by the clock of the file system. */
  since(): Promise<number>;
  remove(): Promise<void>;
}

/** A change that broke off; its mark stays until nothing of it can be left. */
export type BrokenOff = Pick<ChangeMark, 'repository' | 'changed' | 'path'> & { readonly since: number };

export class LiveProcesses {
  /** This process's own folder; gone when it has closed. */
  readonly folder: string;
  readonly #all: string;
  readonly #name: string;
  readonly #silenceMs: number;
  #heartbeat: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;
  /** Those whose folder is ours, and who are not buried yet: something was in the way. */
  readonly #taken = new Set<string>();
  #marks = 0;
  #gone = false;

  constructor(root: string, silenceMs = silence) {
    this.#silenceMs = silenceMs;
    this.#all = join(root, '.processes');
    this.#name = `${thisHost()}.${process.pid}.${startTimeOf(String(process.pid)) ?? '0'}.${randomUUID().slice(0, 8)}`;
    this.folder = join(this.#all, this.#name);
  }

  /** What its programs have in their environment. */
  get environment(): Readonly<Record<string, string>> {
    return { [variable]: this.folder };
  }

  /** Says that this process is here, once. */
  async register(): Promise<void> {
    this.#registered ??= (async () => {
      await mkdir(join(this.folder, marksFolder), { recursive: true, mode: 0o700 });
      this.#heartbeat = setInterval(() => {
        const now = new Date();
        utimes(this.folder, now, now).catch(() => undefined);
      }, heartbeatMs).unref();
    })();
    try {
      await this.#registered;
    } catch (error) {
      // What was in the way, such as a full disk, may be gone next time.
      this.#registered = undefined;
      throw error;
    }
  }

  /** Says that a change begins: before the first file of it is made. */
  async mark(repository: string, changed: Changed): Promise<ChangeMark> {
    if (this.#gone)
      throw new Unavailable('The git back end has stopped', { detail: 'Try again when the server is back' });
    await this.register();
    this.#marks += 1;
    const path = join(this.folder, marksFolder, `${repository}.${changed}.${this.#marks}`);
    const write = (): Promise<void> => writeFile(path, '', { flag: 'wx', mode: 0o600 });
    await write().catch(async (error: unknown) => {
      // Somebody took this process for dead: it was silent for too long.
      if (errnoOf(error) !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await write();
    });
    return {
      repository,
      changed,
      path,
      since: async () => (await stat(path)).ctimeMs,
      remove: async () => await rm(path, { force: true }),
    };
  }

  /** The time by the clock of the file system; it needs no space on the disk. */
  async now(): Promise<number> {
    await this.register();
    const date = new Date();
    await utimes(this.folder, date, date).catch(async (error: unknown) => {
      ignoreMissing(error);
      await mkdir(join(this.folder, marksFolder), { recursive: true, mode: 0o700 });
    });
    return (await stat(this.folder)).ctimeMs;
  }

  /**
   * When the first of the changes began that are being made in a repository, of one kind, by whomever, but for those
   * with one of the marks given; infinite where there is none. One whose process has died counts until its programs are
   * ended and what it left is gone.
   */
  async firstChange(repository: string, changed: Changed, but: readonly string[]): Promise<number> {
    const names = (await readdir(this.#all, { recursive: true }).catch(ignoreMissing)) ?? [];
    // One of an earlier version marks nothing: it may be changing anything.
    const folders = names.filter((name) => !name.includes('/'));
    if (folders.some((name) => !names.includes(join(name, marksFolder)))) return 0;
    const marks = names
      .filter((name) => isMark(name) && basename(name).startsWith(`${repository}.${changed}.`))
      .map((name) => join(this.#all, name));
    const began = await Promise.all(
      marks.filter((mark) => !but.includes(mark)).map((mark) => stat(mark).catch(ignoreMissing)),
    );
    return Math.min(...began.map((found) => found?.ctimeMs ?? Number.POSITIVE_INFINITY));
  }

  /** Names of the others' folders, by whether their process lives. */
  async others(): Promise<{ readonly living: readonly string[]; readonly dead: readonly string[] }> {
    const names = ((await readdir(this.#all).catch(ignoreMissing)) ?? []).filter((name) => name !== this.#name);
    const lives = await Promise.all(names.map((name) => this.#lives(name)));
    return {
      living: names.filter((_, index) => lives[index]),
      dead: [...this.#taken, ...names.filter((_, index) => lives[index] === false)],
    };
  }

  /**
   * Buries a process that ended without saying so: ends what it left running, which might still move a ref. One
   * survivor does so; another finds nothing. Where it rejects, the process is among the dead again.
   * @returns what it was changing, to be released when nothing of it can be left.
   */
  async bury(name: string): Promise<readonly BrokenOff[]> {
    await this.register();
    const buried = join(this.folder, name);
    if (!this.#taken.has(name)) {
      try {
        await rename(join(this.#all, name), buried);
      } catch (error) {
        return ignoreMissing(error) ?? [];
      }
      this.#taken.add(name);
    }
    const inside = (await readdir(buried, { recursive: true }).catch(ignoreMissing)) ?? [];
    // Those that it was burying itself lie in its folder.
    const names = [
      name,
      ...inside.filter((path) => path.endsWith(`/${marksFolder}`)).map((path) => basename(dirname(path))),
    ];
    await killMarked(names.map((each) => ({ variable: `${variable}=${join(this.#all, each)}` })));
    const broken = await Promise.all(
      inside.filter(isMark).map(async (inFolder) => {
        const [repository = '', changed = ''] = basename(inFolder).split('.');
        const path = join(buried, inFolder);
        const { ctimeMs } = await stat(path);
        return { repository, changed: changed === 'refs' ? 'refs' : 'objects', path, since: ctimeMs } as const;
      }),
    );
    if (broken.length === 0) await rm(buried, { recursive: true, force: true });
    this.#taken.delete(name);
    return broken;
  }

  /** Forgets changes that broke off, and with the last of its changes the process that was making them. */
  async release(marks: readonly string[]): Promise<void> {
    for (const mark of marks) await rm(mark, { force: true });
    if (marks.every((mark) => dirname(mark) === join(this.folder, marksFolder))) return;
    const inside = await readdir(this.folder, { recursive: true });
    const marked = new Set(inside.filter(isMark).map((path) => path.split('/')[0]));
    const buried = new Set(inside.filter((path) => path.endsWith(`/${marksFolder}`)).map((path) => path.split('/')[0]));
    for (const name of buried)
      if (name !== undefined && !marked.has(name) && !this.#taken.has(name))
        await rm(join(this.folder, name), { recursive: true, force: true });
  }

  /**
   * Says that this process ends. @param whole false where a change broke off that could not be cleared up: then the next
   * process that looks takes it for dead, and clears it up.
   */
  async unregister(whole = true): Promise<void> {
    this.#gone = true;
    clearInterval(this.#heartbeat);
    if (whole) await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #lives(name: string): Promise<boolean> {
    const [host, pid, start] = name.split('.');
    if (host === this.#name.split('.')[0]) return startTimeOf(pid ?? '') === start;
    // By the one clock of the file system: those of two hosts may be minutes apart.
    const [found, own] = await Promise.all(
      [join(this.#all, name), this.folder].map((folder) => stat(folder).catch(ignoreMissing)),
    );
    return found !== undefined && (own?.ctimeMs ?? Date.now()) - found.ctimeMs < this.#silenceMs;
  }
}

const isMark = (path: string): boolean => basename(dirname(path)) === marksFolder;
