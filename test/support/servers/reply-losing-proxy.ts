// A TCP proxy in front of PostgreSQL that breaks a connection after the server has answered a chosen statement, so that
// the statement takes effect and its reply is lost.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface ReplyLosingProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Loses the replies to the next statements with these beginnings, in the order given. */
  lose(...statements: readonly string[]): void;
  /** Drops the reply to the next statement with this beginning, and keeps the connection open. */
  keep(statement: string): void;
  /** Drops the next statement with this beginning, so that the server never receives it. */
  drop(statement: string): void;
  /** Cancels the losses that have not happened yet. */
  forget(): void;
  /** The number of replies and statements still to be lost. */
  readonly left: number;
  close(): Promise<void>;
}

/** In the messages Query and Parse the statement follows a length or the end of a name. */
function begins(chunk: Buffer, statement: string): boolean {
  const text = chunk.toString('latin1').toLowerCase();
  const at = text.indexOf(statement);
  return at > 0 && text.charCodeAt(at - 1) < 32;
}

export async function replyLosingProxy(database: string): Promise<ReplyLosingProxy> {
  const target = new URL(database);
  const sockets = new Set<Socket>();
  const losing: { readonly statement: string; readonly what: 'reply' | 'statement' | 'kept reply' }[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || '5432'), target.hostname);
    let lost: 'reply' | 'kept reply' | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      const [next] = losing;
      if (next !== undefined && begins(chunk, next.statement)) {
        losing.shift();
        if (next.what === 'statement') return void client.resetAndDestroy();
        lost = next.what;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      // The server answers a statement when it is done, and a COMMIT when its log record is being flushed.
      if (lost === 'reply') client.resetAndDestroy();
      if (lost === undefined) client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    lose: (...statements) => {
      for (const statement of statements) losing.push({ statement, what: 'reply' });
    },
    keep: (statement) => void losing.push({ statement, what: 'kept reply' }),
    drop: (statement) => void losing.push({ statement, what: 'statement' }),
    forget: () => void losing.splice(0),
    get left() {
      return losing.length;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
