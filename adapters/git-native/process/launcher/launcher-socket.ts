// The socket to which the helper process of the launcher connects, in a separate temporary folder.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { temporaryFolder } from './temporary-folder.ts';

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
