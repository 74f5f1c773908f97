// The identity of a process (host, process id, start time), and whether it is alive.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Host name, boot id and process namespace: only if all three are equal does a process id mean the same process. */
  readonly host: string;
  readonly pid: number;
  /** Start time in the kernel's ticks: distinguishes a process from a later one with the same id. Empty if unknown. */
  readonly started: string;
}

export function thisProcess(): ProcessIdentity {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return { host: `${hostname()} ${boot} ${namespace}`, pid: process.pid, started: startOf(process.pid) };
}

/** Whether a process of this host is alive. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startOf(pid);
  return now === '' || started === '' || now === started;
}

/** proc(5), `/proc/pid/stat`: field 22, counted after the parenthesis that ends the command's name. */
function startOf(pid: number): string {
  return attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '');
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
