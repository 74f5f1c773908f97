// Server processes that share one database and one data directory: two on PostgreSQL, one with the embedded database.
import { Client } from '../clients/client.ts';
import type { Teardown, TestForge } from '../forge.ts';
import { freePort, ServerProcess } from './server-process.ts';

export interface SharedServers {
  readonly servers: readonly ServerProcess[];
  /** A client for each server, in order. */
  clients(headers?: Readonly<Record<string, string>>): readonly Client[];
  /** Returns a function from a number to the client of one of the servers, in rotation, with this token. */
  as(token: string): (turn: number) => Client;
  /** Stops the servers before the test ends. */
  stop(): Promise<void>;
}

/** Starts the servers on the data of `seed`, which must be stopped. */
export async function sharedServers(
  t: Teardown,
  { dataDir, databaseUrl, contract }: Pick<TestForge, 'dataDir' | 'databaseUrl' | 'contract'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<SharedServers> {
  const servers: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers) server.signal('SIGTERM');
    for (const server of servers) await server.ended();
  };
  t.teardown(stop);
  for (let count = 0; count < (databaseUrl === undefined ? 1 : 2); count += 1)
    servers.push(await ServerProcess.start({ dataDir, databaseUrl, port: await freePort(), environment }));
  const clients = (headers?: Readonly<Record<string, string>>): readonly Client[] =>
    servers.map(({ url }) => new Client(url, contract, headers));
  return {
    servers,
    clients,
    as: (token) => {
      const all = clients({ authorization: `Bearer ${token}` });
      return (turn) => all[turn % all.length] as Client;
    },
    stop,
  };
}
