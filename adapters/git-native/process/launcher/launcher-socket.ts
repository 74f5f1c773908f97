// The socket to which the helper process of the launcher connects, in a temporary folder whose name identifies this
// process, so that those of killed processes can be removed.
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { processNamespace, startTimeOf } from './process-table.ts';

export interface ListeningSocket {
  readonly folder: string;
  readonly server: Server;
  /** Closes the socket and removes the folder, if the helper process that would remove it was not started. */
  release(): Promise<void>;
}

export const socketIn = (folder: string): string => join(folder, 'l');

/** @throws {Unavailable} if the temporary folder or the socket cannot be made. */
export async function listening(): Promise<ListeningSocket> {
  const folder = await temporaryFolder().catch((cause: unknown) => {
    throw new Unavailable('No process can be started: no temporary folder can be made', {
      detail: 'Look whether the disk is full, or set TMPDIR to a folder that can be written to',
      cause,
    });
  });
  // No more is read of a program's output than is requested, so that small pieces are read as one; see `gathered`.
  const server = createServer({ highWaterMark: 1 });
  const release = async (): Promise<void> => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await once(server.listen(socketIn(folder)), 'listening');
  } catch (cause) {
    await release();
    throw new Unavailable(`No process can be started: a socket in "${folder}" was refused`, {
      detail: 'Set TMPDIR to a folder with a short name that can be written to',
      cause,
    });
  }
  return { folder, server, release };
}

/** Shortens numbers, because the path of a socket has at most 108 bytes (unix(7)). */
const short = (digits: string): string => Number(digits).toString(36);
const prefixOf = (pid: number, start: string): string =>
  `hexforge-${short(processNamespace())}-${short(String(pid))}-${short(start)}-`;

/** Makes a temporary folder, and removes those of processes that have ended. */
async function temporaryFolder(): Promise<string> {
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
