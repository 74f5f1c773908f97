// A registry of the live server processes that share a data root, by folder and heartbeat, with a mark for each change
// in progress. It distinguishes the leftovers of dead processes from the files that live ones are writing.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';
import { killMarked, startTimeOf, thisHost } from './process-table.ts';

const heartbeatMs = 30_000;
/** Milliseconds. A process of another host counts as alive if its last heartbeat is more recent. */
const silence = 4 * heartbeatMs;
/** In the environment of every program that a process starts: the folder of the process. */
const variable = 'HEXFORGE_PROCESS';
const marksFolder = 'marks';
/**
 * Marks of interrupted changes, kept until their leftovers are removed. They outlive the process that is to remove
 * these.
 */
const leftFolder = 'left';

/** The part of a repository that is changed: refs and `HEAD`, or files below `objects`. */
export type Changed = 'refs' | 'objects';

/** A change in progress. */
export interface ChangeMark {
  readonly repository: string;
  readonly changed: Changed;
  remove(): Promise<void>;
  /** Ends a change whose programs ended before they were done. */
  leave(): Promise<BrokenOff>;
}

/** A change that was in progress when its programs, or its whole process, ended. */
export type BrokenOff = Pick<ChangeMark, 'repository' | 'changed'> & {
  readonly since: number;
  /**
   * To be called once its leftovers are removed. Until then it is noted on disk for the process that takes over from
   * this one.
   */
  forget(): Promise<void>;
};

export class LiveProcesses {
  /** This process's own folder; removed when it has closed. */
  readonly folder: string;
  readonly #all: string;
  readonly #name: string;
  readonly #silenceMs: number;
  readonly #endPrograms: typeof killMarked;
  /** Dead processes whose folder was moved into this process's own folder until their programs have been ended. */
  readonly #burying = new Set<string>();
  #heartbeat: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;
  #marks = 0;
  #gone = false;

  constructor(root: string, silenceMs = silence, endPrograms = killMarked) {
    this.#silenceMs = silenceMs;
    this.#endPrograms = endPrograms;
    this.#all = join(root, '.processes');
    this.#name = `${thisHost()}.${process.pid}.${startTimeOf(String(process.pid)) ?? '0'}.${randomUUID().slice(0, 8)}`;
    this.folder = join(this.#all, this.#name);
  }

  /** Environment variables of its programs. */
  get environment(): Readonly<Record<string, string>> {
    return { [variable]: this.folder };
  }

  /** Registers this process, once. */
  async register(): Promise<void> {
    this.#registered ??= (async () => {
      for (const name of [leftFolder, marksFolder])
        await mkdir(join(this.folder, name), { recursive: true, mode: 0o700 });
      this.#heartbeat = setInterval(() => {
        const now = new Date();
        utimes(this.folder, now, now).catch(() => undefined);
      }, heartbeatMs).unref();
    })();
    try {
      await this.#registered;
    } catch (error) {
      // A failure is not cached, because its cause, such as a full disk, may be temporary.
      this.#registered = undefined;
      throw error;
    }
  }

  /** Marks a change, before its first file is made. */
  async mark(repository: string, changed: Changed): Promise<ChangeMark> {
    if (this.#gone)
      throw new Unavailable('The git back end has stopped', { detail: 'Try again when the server is back' });
    await this.register();
    this.#marks += 1;
    const path = join(this.folder, marksFolder, `${repository}.${changed}.${this.#marks}`);
    const write = (): Promise<void> => writeFile(path, '', { flag: 'wx', mode: 0o600 });
    await write().catch(async (error: unknown) => {
      // Another process took this one for dead, because its heartbeat was late.
      if (errnoOf(error) !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await write();
    });
    return {
      repository,
      changed,
      remove: async () => await rm(path, { force: true }),
      leave: async () => await this.#leave(path, await beganAt(path)),
    };
  }

  /** The current time of the file system's clock, in milliseconds since 1970. Needs no space on the disk. */
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
   * When the oldest of the changes of one kind in progress in a repository began, of any process; infinite without such
   * a change. A change of a dead process counts until its programs are ended.
   */
  async firstChange(repository: string, changed: Changed): Promise<number> {
    const began = await Promise.all(
      (await foldersIn(this.#all)).map(async (folder) => {
        const marks = await readdir(join(folder, marksFolder)).catch(ignoreMissing);
        // A process of an earlier version makes no marks, so it may be changing anything.
        if (marks === undefined) return [dirname(folder) === this.#all ? 0 : Number.POSITIVE_INFINITY];
        return await Promise.all(
          marks
            .filter((name) => name.startsWith(`${repository}.${changed}.`))
            .map((name) => join(folder, marksFolder, name))
            .map(async (mark) => (await beganAt(mark).catch(ignoreMissing)) ?? Number.POSITIVE_INFINITY),
        );
      }),
    );
    return Math.min(...began.flat());
  }

  /** The names of the folders of other processes, by whether the process is alive. */
  async others(): Promise<{ readonly living: readonly string[]; readonly dead: readonly string[] }> {
    const names = ((await readdir(this.#all).catch(ignoreMissing)) ?? []).filter((name) => name !== this.#name);
    const lives = await Promise.all(names.map((name) => this.#lives(name)));
    return {
      living: names.filter((_, index) => lives[index]),
      dead: [...this.#burying, ...names.filter((_, index) => lives[index] === false)],
    };
  }

  /**
   * Takes over from a process that died: ends the programs that it left running, which might still move a ref. If
   * several processes try, one of them does it and the others find nothing. If this rejects, the process counts as dead
   * again.
   * @returns the interrupted changes, each to be forgotten once its leftovers are removed.
   */
  async bury(name: string): Promise<readonly BrokenOff[]> {
    await this.register();
    const buried = join(this.folder, name);
    if (!this.#burying.has(name))
      try {
        await rename(join(this.#all, name), buried);
      } catch (error) {
        return ignoreMissing(error) ?? [];
      }
    this.#burying.add(name);
    // The folders of processes that it was taking over from are inside its own.
    const folders = [buried, ...(await foldersIn(buried))];
    await this.#endPrograms(
      folders.map((folder) => ({ variable: `${variable}=${join(this.#all, basename(folder))}` })),
    );
    const marks = await Promise.all(
      folders
        .flatMap((folder) => [marksFolder, leftFolder].map((kind) => join(folder, kind)))
        .map(async (folder) => ((await readdir(folder).catch(ignoreMissing)) ?? []).map((mark) => join(folder, mark))),
    );
    const began = await Promise.all(marks.flat().map(async (mark) => ({ mark, since: await beganAt(mark) })));
    const broken = await Promise.all(began.map(({ mark, since }) => this.#leave(mark, since)));
    this.#burying.delete(name);
    // Not needed any more. If it cannot be removed, it is removed with this process's own folder.
    await rm(buried, { recursive: true, force: true }).catch(() => undefined);
    return broken;
  }

  async #leave(mark: string, since: number): Promise<BrokenOff> {
    const [repository = '', changed = ''] = basename(mark).split('.');
    this.#marks += 1;
    const left = join(this.folder, leftFolder, `${repository}.${changed}.${this.#marks}`);
    // If it cannot be noted there, such as on a full disk, only this process knows of it.
    await rename(mark, left).catch(() => rm(mark, { force: true }));
    return {
      repository,
      changed: changed === 'refs' ? 'refs' : 'objects',
      since,
      forget: async () => await rm(left, { force: true }),
    };
  }

  async unregister(): Promise<void> {
    this.#gone = true;
    clearInterval(this.#heartbeat);
    // The notes stay for the next process, which removes the leftovers.
    if (((await readdir(join(this.folder, leftFolder)).catch(ignoreMissing)) ?? []).length > 0) return;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async #lives(name: string): Promise<boolean> {
    const [host, pid, start] = name.split('.');
    if (host === this.#name.split('.')[0]) return startTimeOf(pid ?? '') === start;
    // Compares times of the file system's clock only, because the clocks of two hosts may differ by minutes.
    const [found, own] = await Promise.all(
      [join(this.#all, name), this.folder].map((folder) => stat(folder).catch(ignoreMissing)),
    );
    return found !== undefined && (own?.ctimeMs ?? Date.now()) - found.ctimeMs < this.#silenceMs;
  }
}

/** When a change began: the time of its mark, which is never written to and which keeps its time when it is moved. */
const beganAt = async (mark: string): Promise<number> => (await stat(mark)).mtimeMs;

/**
 * The folders of processes below a folder, and of those that they are taking over from. Other folders in there are of
 * single pushes.
 */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const names = ((await readdir(folder).catch(ignoreMissing)) ?? []).filter((name) => name.split('.').length === 4);
  return (
    await Promise.all(names.map((name) => join(folder, name)).map(async (each) => [each, ...(await foldersIn(each))]))
  ).flat();
}
