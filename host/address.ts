// The listen address and port, tried before anything is built: base URLs are rendered from it, and a taken one should
// leave nothing behind.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Refused } from './problem.ts';

/** Below Linux's ephemeral range, so that no outgoing connection takes it between now and the listening. */
const range = { from: 20_000, to: 32_000 };

/** @throws {Refused} where the host cannot be listened on at all. */
export async function freePort(host: string): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to);
    const fault = await tryListening(host, port);
    if (fault === undefined) return port;
    if (fault.code !== 'EADDRINUSE' && fault.code !== 'EACCES') throw listenRefusal(fault, host, port) ?? fault;
  }
}

/** @throws {Refused} where the port is taken or may not be used. */
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

/** What the operating system said, with its remedy; undefined where it is none of the known faults. */
export function listenRefusal(error: unknown, host: string, port: number): Refused | undefined {
  const fault = error instanceof Error && 'code' in error ? faults[String(error.code)] : undefined;
  return fault === undefined
    ? undefined
    : new Refused([{ code: 'cannot_listen', message: fault.message(host, port), remedy: fault.remedy }], error);
}
