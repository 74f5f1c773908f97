// The machine's process table (proc(5)): distinguishes a process from a later one with the same id, and kills processes
// by a mark in their environment.
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { errnoOf, ignoreMissing } from '#adapters/git-common/files/errno';

/**
 * Host, boot and process namespace, as part of a file's name: a process id identifies a process only if all three are
 * equal. Containers may share the name of their host.
 */
export function thisHost(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)),
    processNamespace(),
  ];
  return parts.join('-').replaceAll(/[^\w-]/g, '-');
}

/** The process namespace, within which process ids are unique (pid_namespaces(7)); 0 if unknown. */
export const processNamespace = (): string =>
  attempt(() => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '') || '0';

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/**
 * Distinguishes a running process from a later one with the same id: on Linux the tick it started at (proc_pid_stat(5),
 * field 22), elsewhere only that it runs. Undefined if the process has ended.
 * @throws EMFILE if the process cannot be looked up, which does not mean that it has ended.
 */
export function startTimeOf(pid: string): string | undefined {
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
  } catch (error) {
    if (isSpent(error)) throw error;
    return '0';
  }
}

/** Whether no file could be opened, which does not show whether the file exists. */
export const isSpent = (error: unknown): boolean => ['EMFILE', 'ENFILE', 'ENOMEM'].includes(errnoOf(error));

/** Identifies a process and all processes that it starts. */
export interface Mark {
  /** `NAME=value`, in its environment. */
  readonly variable: string;
  /**
   * One of its arguments. A new process shows the arguments of its parent until it runs another program (execve(2)).
   */
  readonly argument?: string;
}

/**
 * Kills every process of this host that has one of the marks, whatever its process group: the environment is inherited.
 * When this resolves, none of them is running.
 * @throws EMFILE if processes cannot be looked up.
 */
export async function killMarked(marks: readonly Mark[]): Promise<void> {
  // Twice, because a process during execve(2) shows neither arguments nor environment.
  for (let passes = 0; passes < 2; passes += 1) {
    if (passes > 0) await pause(10);
    for (let found = await marked(marks); found.length > 0; found = await marked(marks)) {
      for (const pid of found) kill(pid);
      await pause(10);
    }
  }
}

const lookedAtOnce = 8;

/** The ids of processes with a mark. A process that is exiting shows neither environment nor arguments. */
async function marked(marks: readonly Mark[]): Promise<readonly number[]> {
  const pids = ((await readdir('/proc').catch(ignoreMissing)) ?? []).filter((name) => /^\d+$/.test(name));
  const isMarked = async (pid: string): Promise<boolean> => {
    const environment = await listIn(`/proc/${pid}/environ`);
    const argv = await listIn(`/proc/${pid}/cmdline`);
    return marks.some(
      ({ variable, argument }) => environment.has(variable) || (argument !== undefined && argv.has(argument)),
    );
  };
  const found = await fewFiles(pids, isMarked, lookedAtOnce);
  return pids
    .filter((_, index) => found[index])
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** The NUL-separated strings of a file; empty for processes of other users, which cannot be read. */
async function listIn(file: string): Promise<ReadonlySet<string>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isSpent(error)) throw error;
    return '';
  });
  return new Set(text.split('\0'));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}
