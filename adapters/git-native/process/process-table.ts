// The machine's process table (proc(5)): what tells a process from a later one with its id, and ending processes by a
// mark in their environment.
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from '../storage/errno.ts';

/**
 * Host, boot and process namespace, as part of a file's name: only where all three are the same does a process id mean
 * the same process. Containers may share the name of their host.
 */
export function thisHost(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)),
    processNamespace(),
  ];
  return parts.join('-').replaceAll(/[^\w-]/g, '-');
}

/** A process id means something within its namespace alone (pid_namespaces(7)); 0 where that is unknown. */
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
 * What tells a running process from a later one with its id: on Linux the tick it started at (proc_pid_stat(5), field
 * 22), elsewhere only that it runs.
 * Undefined for one that has ended. @throws EMFILE: a process that cannot be looked at is not one that has ended.
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

/** Whether nothing could be opened, which says nothing about what is there. */
export const isSpent = (error: unknown): boolean => ['EMFILE', 'ENFILE', 'ENOMEM'].includes(errnoOf(error));

/** What a process and all it starts are known by. */
export interface Mark {
  /** `NAME=value`, in its environment. */
  readonly variable: string;
  /** One of its arguments: a process shows those of its parent until it has become another program (execve(2)). */
  readonly argument?: string;
}

/**
 * Ends every process of this host that has one of the marks, whatever group it is in: the environment is inherited.
 * When this resolves none of them does anything any more. @throws EMFILE where they cannot be looked for.
 */
export async function killMarked(marks: readonly Mark[]): Promise<void> {
  // Twice: one that is just becoming another program shows neither arguments nor environment.
  for (let passes = 0; passes < 2; passes += 1) {
    if (passes > 0) await pause(10);
    for (let found = await marked(marks); found.length > 0; found = await marked(marks)) {
      for (const pid of found) kill(pid);
      await pause(10);
    }
  }
}

const lookedAtOnce = 8;

/** One that is ending has neither any more. */
async function marked(marks: readonly Mark[]): Promise<readonly number[]> {
  const pids = ((await readdir('/proc').catch(ignoreMissing)) ?? []).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  const worker = async (): Promise<void> => {
    for (let pid = pids.pop(); pid !== undefined; pid = pids.pop()) {
      const environment = await listIn(`/proc/${pid}/environ`);
      const argv = await listIn(`/proc/${pid}/cmdline`);
      const has = marks.some(
        ({ variable, argument }) => environment.has(variable) || (argument !== undefined && argv.has(argument)),
      );
      if (has && Number(pid) !== process.pid) found.push(Number(pid));
    }
  };
  // All at once would take a descriptor for each.
  await Promise.all(Array.from({ length: lookedAtOnce }, worker));
  return found;
}

/** Somebody else's cannot be read, and is none of ours. */
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
