// The socket at which the helper that starts programs connects, in a temporary folder of its own.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Unavailable } from '#core/kernel/errors';
import { temporaryFolder } from './temporary-folder.ts';

export interface ListeningSocket {
  readonly folder: string;
  readonly server: Server;
  /** Where no helper came to be, which removes the folder. */
  release(): Promise<void>;
}

export const socketIn = (folder: string): string => join(folder, 'l');

/** @throws {Unavailable} */
export async function listening(): Promise<ListeningSocket> {
  const folder = await temporaryFolder().catch((cause: unknown) => {
    throw new Unavailable('No process can be started: no temporary folder can be made', {
      detail: 'Look whether the disk is full, or set TMPDIR to a folder that can be written to',
      cause,
    });
  });
  // Of what a program writes no more is read than is asked for: small pieces wait and come as one, see `gathered`.
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
