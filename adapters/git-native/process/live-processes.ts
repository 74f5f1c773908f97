// A registry of the live server processes that share a data root, by folder and heartbeat: what a live one is writing
// is not swept away, and what a dead one left running is killed.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from '../storage/errno.ts';

const heartbeatMs = 30_000;
/** A process of another host is alive while it has said so within this time. */
const silenceMs = 4 * heartbeatMs;

export class LiveProcesses {
  /** This process's own folder; gone when it has closed. */
  readonly folder: string;
  readonly #all: string;
  readonly #name: string;
  #heartbeat: NodeJS.Timeout | undefined;
  #registered: Promise<void> | undefined;

  constructor(root: string) {
    this.#all = join(root, '.processes');
    this.#name = `${hostname().replaceAll(/[^\w-]/g, '-')}.${process.pid}.${startTimeOf(String(process.pid)) ?? '0'}.${randomUUID().slice(0, 8)}`;
    this.folder = join(this.#all, this.#name);
  }

  /** Says that this process is here, once. */
  register(): Promise<void> {
    this.#registered ??= (async () => {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      this.#heartbeat = setInterval(() => {
        const now = new Date();
        utimes(this.folder, now, now).catch(() => undefined);
      }, heartbeatMs).unref();
    })();
    return this.#registered;
  }

  /** Names of the others' folders, by whether their process lives. */
  async others(): Promise<{ readonly living: readonly string[]; readonly dead: readonly string[] }> {
    const names = ((await readdir(this.#all).catch(ignoreMissing)) ?? []).filter((name) => name !== this.#name);
    const lives = await Promise.all(names.map((name) => this.#lives(name)));
    return {
      living: names.filter((_, index) => lives[index]),
      dead: names.filter((_, index) => lives[index] === false),
    };
  }

  /**
   * Ends the pushes of processes that died in the middle of them, which git might otherwise still finish: after this
   * call none of them moves a ref any more. They are told by the folder that `variable` in their environment lies in
   * (proc_pid_environ(5)).
   */
  async killOrphans(names: readonly string[], variable: string): Promise<void> {
    if (names.length === 0) return;
    const marks = names.map((name) => `${variable}=${join(this.#all, name)}/`);
    for (let found = await orphans(marks); found.length > 0; found = await orphans(marks)) {
      for (const pid of found) kill(pid);
      await pause(20);
    }
  }

  /** Forgets processes that ended without saying so. */
  async remove(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => rm(join(this.#all, name), { recursive: true, force: true })));
  }

  async unregister(): Promise<void> {
    clearInterval(this.#heartbeat);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #lives(name: string): Promise<boolean> {
    const [host, pid, start] = name.split('.');
    if (host === this.#name.split('.')[0]) return startTimeOf(pid ?? '') === start;
    const found = await stat(join(this.#all, name)).catch(ignoreMissing);
    return found !== undefined && Date.now() - found.mtimeMs < silenceMs;
  }
}

/**
 * What tells a running process from a later one with its id: on Linux the tick it started at (proc_pid_stat(5), field
 * 22), elsewhere only that it runs.
 * Undefined for one that has ended.
 */
function startTimeOf(pid: string): string | undefined {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') return undefined;
  }
  try {
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return '0';
  }
}

/** Processes of this host whose environment has one of the marks. One that is ending has none any more. */
async function orphans(marks: readonly string[]): Promise<readonly number[]> {
  const pids = ((await readdir('/proc').catch(ignoreMissing)) ?? []).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = `\0${await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')}`;
      return marks.some((mark) => environment.includes(`\0${mark}`)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}
