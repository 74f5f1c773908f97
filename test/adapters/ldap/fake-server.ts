// A server that speaks as much LDAP as a test needs, also wrongly. Each test provides the answers.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** An element of BER: tag, length and content. */
export function ber(tag: number, ...content: readonly (Buffer | string | number)[]): Buffer {
  const bytes = Buffer.concat(
    content.map((part) =>
      typeof part === 'number' ? Buffer.from([part]) : typeof part === 'string' ? Buffer.from(part) : part,
    ),
  );
  const { length: size } = bytes;
  const length = size < 0x80 ? [size] : [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}

const text = (value: string): Buffer => ber(0x04, value);

export const message = (id: number, operation: Buffer): Buffer => ber(0x30, ber(0x02, id), operation);

/** A result: bind 0x61, end of a search 0x65, StartTLS 0x78. */
export const result = (tag: number, code = 0, words = ''): Buffer => ber(tag, ber(0x0a, code), text(''), text(words));

export const entry = (dn: string, attributes: Readonly<Record<string, readonly string[]>>): Buffer =>
  ber(
    0x64,
    text(dn),
    ber(
      0x30,
      ...Object.entries(attributes).map(([name, values]) => ber(0x30, text(name), ber(0x31, ...values.map(text)))),
    ),
  );

export interface Request {
  readonly id: number;
  readonly kind: 'bind' | 'search' | 'starttls' | 'other';
  /** The whole message, to look for texts in it. */
  readonly bytes: Buffer;
  /** The number of the connection, from 1. */
  readonly connection: number;
}

const kinds: Readonly<Record<number, Request['kind']>> = { 0x60: 'bind', 0x63: 'search', 0x77: 'starttls' };

export interface FakeServer {
  readonly url: string;
  readonly requests: Request[];
}

/** @param answer is called for each request, which must be shorter than 64 KiB and arrive in one piece. */
export async function fakeServer(
  t: { teardown(work: () => unknown): void },
  answer: (request: Request, socket: Socket) => void,
): Promise<FakeServer> {
  const requests: Request[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = sockets.size;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // Tag and length of the message, then the id as an integer of at most four bytes.
      const at = 2 + ((bytes[1] ?? 0) & 0x80 ? (bytes[1] ?? 0) & 0x7f : 0);
      const size = bytes[at + 1] ?? 0;
      const id = bytes.readUIntBE(at + 2, size);
      const request = { id, kind: kinds[bytes[at + 2 + size] ?? 0] ?? 'other', bytes, connection } as const;
      requests.push(request);
      answer(request, socket);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const ada = {
  uid: ['ada'],
  cn: ['Ada'],
  mail: ['ada@example.org'],
  entryUUID: ['6f1d8c1e-0000-4000-8000-000000000001'],
};

/** Answers as a directory with one user and any password, except what a test replaces. */
export function answering(replaced: Partial<Record<Request['kind'], (request: Request) => Buffer | undefined>> = {}) {
  return (request: Request, socket: Socket): void => {
    const { id, kind } = request;
    const own = replaced[kind];
    const bytes =
      own === undefined
        ? kind === 'bind'
          ? message(id, result(0x61))
          : Buffer.concat([message(id, entry('uid=ada,dc=example', ada)), message(id, result(0x65))])
        : own(request);
    if (bytes !== undefined) socket.write(bytes);
  };
}
