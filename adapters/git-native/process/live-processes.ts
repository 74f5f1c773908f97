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
/** Marks of changes that broke off, until what they left is gone. They outlive who is to remove it. */
const leftFolder = 'left';

/** What is being changed in a repository: refs and `HEAD`, or what lies below `objects`. */
export type Changed = 'refs' | 'objects';

/** A change that is being made. */
export interface ChangeMark {
  readonly repository: string;
  readonly changed: Changed;
  remove(): Promise<void>;
  /** The same where its programs ended before they were done. */
  leave(): Promise<BrokenOff>;
}

/** A change that was being made when its programs, or its whole process, ended. */
export type BrokenOff = Pick<ChangeMark, 'repository' | 'changed'> & {
  readonly since: number;
  /** Once nothing of it is left. Until then it is noted on disk, for whoever buries this process. */
  forget(): Promise<void>;
};

export class LiveProcesses {
  /** This process's own folder; gone when it has closed. */
  readonly folder: string;
  readonly #all: string;
  readonly #name: string;
  readonly #silenceMs: number;
  readonly #endPrograms: typeof killMarked;
  /** Whose folder lies in this process's own while what they left running is being ended. */
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

  /** What its programs have in their environment. */
  get environment(): Readonly<Record<string, string>> {
    return { [variable]: this.folder };
  }

  /** Says that this process is here, once. */
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
      remove: async () => await rm(path, { force: true }),
      leave: async () => await this.#leave(path, await beganAt(path)),
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
   * When the first of the changes began that are being made in a repository, of one kind, by whomever; infinite where
   * there is none. One whose process has died counts until its programs are ended.
   */
  async firstChange(repository: string, changed: Changed): Promise<number> {
    const began = await Promise.all(
      (await foldersIn(this.#all)).map(async (folder) => {
        const marks = await readdir(join(folder, marksFolder)).catch(ignoreMissing);
        // One of an earlier version marks nothing: it may be changing anything.
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

  /** Names of the others' folders, by whether their process lives. */
  async others(): Promise<{ readonly living: readonly string[]; readonly dead: readonly string[] }> {
    const names = ((await readdir(this.#all).catch(ignoreMissing)) ?? []).filter((name) => name !== this.#name);
    const lives = await Promise.all(names.map((name) => this.#lives(name)));
    return {
      living: names.filter((_, index) => lives[index]),
      dead: [...this.#burying, ...names.filter((_, index) => lives[index] === false)],
    };
  }

  /**
   * Buries a process that ended without saying so: ends what it left running, which might still move a ref. One
   * survivor does so; another finds nothing. Where it rejects, the process is among the dead again.
   * @returns what it was changing, each to be forgotten when nothing of it is left.
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
    // Those that it was burying itself lie in its folder.
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
    // Of no meaning any more: what stays goes with this process's own.
    await rm(buried, { recursive: true, force: true }).catch(() => undefined);
    return broken;
  }

  async #leave(mark: string, since: number): Promise<BrokenOff> {
    const [repository = '', changed = ''] = basename(mark).split('.');
    this.#marks += 1;
    const left = join(this.folder, leftFolder, `${repository}.${changed}.${this.#marks}`);
    // What cannot be noted there, as on a full disk, this process alone knows of.
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
    // What is left over is for whoever comes next to remove.
    if (((await readdir(join(this.folder, leftFolder)).catch(ignoreMissing)) ?? []).length > 0) return;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
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

/** When a change began: nobody writes into its mark, and the time of that outlives its being moved. */
const beganAt = async (mark: string): Promise<number> => (await stat(mark)).mtimeMs;

/** The folders of processes below one, and of those that they are burying. The others in there are of single pushes. */
async function foldersIn(folder: string): Promise<readonly string[]> {
  const names = ((await readdir(folder).catch(ignoreMissing)) ?? []).filter((name) => name.split('.').length === 4);
  return (
    await Promise.all(names.map((name) => join(folder, name)).map(async (each) => [each, ...(await foldersIn(each))]))
  ).flat();
}
