// Measures the memory of a server and its child processes, and finds those that remain without a request.
import { readFileSync, readdirSync } from 'node:fs';
import { commandLines } from '#test/support/servers/server-process';

/** Resident bytes of the process and its descendants; shared memory counts for each of them. */
export function memory(pid: number): number {
  const parents = new Map<number, { readonly parent: number; readonly bytes: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), { parent: Number(fields[1]), bytes: Number(fields[21]) * 4096 });
    } catch {
      // The process ended in the meantime.
    }
  }
  const isBelow = (one: number): boolean => one === pid || (one > 1 && isBelow(parents.get(one)?.parent ?? 0));
  return [...parents].reduce((sum, [one, { bytes }]) => (isBelow(one) ? sum + bytes : sum), 0);
}

/**
 * Command lines of processes that still run after this many seconds; cat-file processes and the launcher may remain.
 */
export async function left(pid: number, seconds: number): Promise<readonly string[]> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const working = commandLines(pid).filter(
      (command) => !command.includes('cat-file') && !command.startsWith(process.execPath),
    );
    if (working.length === 0 || performance.now() > until) return working;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
