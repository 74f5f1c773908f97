// A proxy between a server and PostgreSQL that breaks connections after a query was executed and before its reply
// arrives, and sometimes before the query arrives.
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

export interface Losses {
  /** The probability per query, from 0 to 1. */
  readonly any: number;
  /** The probability per commit, from 0 to 1. */
  readonly commit: number;
}

const none: Losses = { any: 0, commit: 0 };
/** The fraction of losses that lose the query itself. */
const ofQueries = 0.2;

export class DatabaseProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #random: () => number;
  #losses = none;
  readonly url: string;
  /** The losses so far, in order. */
  readonly lost: ('reply' | 'reply to a commit' | 'query')[] = [];

  private constructor(server: Server, url: string, random: () => number) {
    this.#server = server;
    this.url = url;
    this.#random = random;
  }

  static async open(databaseUrl: string, random: () => number): Promise<DatabaseProxy> {
    const target = new URL(databaseUrl);
    const server = createServer({ allowHalfOpen: false });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const own = new URL(databaseUrl);
    own.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const proxy = new DatabaseProxy(server, own.href, random);
    server.on('connection', (socket) => proxy.#relay(socket, Number(target.port), target.hostname));
    return proxy;
  }

  lose(losses: Losses = none): void {
    this.#losses = losses;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #relay(client: Socket, port: number, host: string): void {
    const database = connect({ port, host });
    const queries = new Queries();
    let losing: keyof Losses | undefined;
    const end = (): void => {
      for (const socket of [client, database]) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', end).on('close', end);
    }
    client.on('data', (chunk: Buffer) => {
      for (const text of queries.read(chunk)) {
        const kind = /^\s*commit\b/i.test(text) ? 'commit' : 'any';
        if (losing === undefined && this.#random() < this.#losses[kind]) losing = kind;
      }
      if (losing !== undefined && this.#random() < ofQueries) {
        this.lost.push('query');
        end();
      } else database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      if (losing === undefined) {
        client.write(chunk);
        return;
      }
      this.lost.push(losing === 'commit' ? 'reply to a commit' : 'reply');
      end();
    });
  }
}

/** Parses the queries in the messages of a client (PostgreSQL, "Message Formats"). */
class Queries {
  readonly #prepared = new Map<string, string>();
  #rest: Buffer = Buffer.alloc(0);
  #started = false;

  read(chunk: Buffer): readonly string[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const asked: string[] = [];
    for (;;) {
      // The first message has no type.
      const header = this.#started ? 1 : 0;
      if (this.#rest.length < header + 4) return asked;
      const length = this.#rest.readInt32BE(header) + header;
      if (this.#rest.length < length) return asked;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#started) asked.push(...this.#asked(message));
      this.#started = true;
    }
  }

  #asked(message: Buffer): readonly string[] {
    const [first = '', second = ''] = message.toString('latin1', 5).split('\0');
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'Q':
        return [first];
      case 'P':
        this.#prepared.set(first, second);
        return [];
      case 'B':
        return [this.#prepared.get(second) ?? ''];
      default:
        return [];
    }
  }
}
