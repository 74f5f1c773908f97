// Tests the listen address and port before anything is built, because base URLs contain it and a taken port should
// leave nothing to clean up.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Refused } from '../problems/problem.ts';

/** Below Linux's ephemeral range, so that no outgoing connection takes the port before the server listens. */
const range = { from: 20_000, to: 32_000 };

/** Finds a free port. @throws {Refused} if no port of the host can be listened on. */
export async function freePort(host: string): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to);
    const fault = await tryListening(host, port);
    if (fault === undefined) return port;
    if (fault.code !== 'EADDRINUSE' && fault.code !== 'EACCES') throw listenRefusal(fault, host, port) ?? fault;
  }
}

/** Checks that the port can be listened on. @throws {Refused} if it is taken or not permitted. */
export async function demandPort(host: string, port: number): Promise<void> {
  const fault = await tryListening(host, port);
  if (fault !== undefined) throw listenRefusal(fault, host, port) ?? fault;
}

function tryListening(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

const faults: Readonly<
  Record<string, { readonly message: (host: string, port: number) => string; readonly remedy: string }>
> = {
  EADDRINUSE: {
    message: (host, port) => `Port ${port} on ${host} is taken`,
    remedy: 'Set PORT to a free one, or stop the process that listens there',
  },
  EACCES: {
    message: (host, port) => `This user may not listen on port ${port} of ${host}`,
    remedy: 'Set PORT to one above 1023, or let a proxy listen there',
  },
  EADDRNOTAVAIL: {
    message: (host) => `${host} is not an address of this machine`,
    remedy: 'Set HOST to one, such as 127.0.0.1 or 0.0.0.0',
  },
  ENOTFOUND: {
    message: (host) => `The host name ${host} is not known`,
    remedy: 'Set HOST to an address of this machine, such as 127.0.0.1',
  },
};

/** Turns an error of `listen` into a refusal with its remedy; undefined for an unknown error. */
export function listenRefusal(error: unknown, host: string, port: number): Refused | undefined {
  const fault = error instanceof Error && 'code' in error ? faults[String(error.code)] : undefined;
  return fault === undefined
    ? undefined
    : new Refused([{ code: 'cannot_listen', message: fault.message(host, port), remedy: fault.remedy }], error);
}
