// Temporary folders of this process. Their names identify the process, so that those of killed processes can be
// removed.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processNamespace, startTimeOf } from './process-table.ts';

/** Shortens numbers, because the path of a socket has at most 108 bytes (unix(7)). */
const short = (digits: string): string => Number(digits).toString(36);
const prefixOf = (pid: number, start: string): string =>
  `hexforge-${short(processNamespace())}-${short(String(pid))}-${short(start)}-`;

/** Makes a temporary folder, and removes those of processes that have ended. */
export async function temporaryFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), prefixOf(process.pid, startTimeOf(String(process.pid)) ?? '0')));
  await removeAbandoned().catch(() => undefined);
  return made;
}

async function removeAbandoned(): Promise<void> {
  const own = short(processNamespace());
  for (const name of await readdir(tmpdir())) {
    const [, where, pid, start] = /^hexforge-([0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)-\w{6}$/.exec(name) ?? [];
    if (where !== own || pid === undefined || start === undefined) continue;
    const running = startTimeOf(String(Number.parseInt(pid, 36)));
    if (running === undefined || short(running) !== start)
      await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}
