// Directories of the LDAP adapter on a server of the tests, and a proxy in front of it that counts, delays and cuts.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ldapDirectory, type LdapDirectory, type Options } from '#adapters/ldap/index';
import type { DirectoryUser } from '#core/kernel/access/password-directories';
import { baseDn, passwordOf, readerPassword, readers } from '../../../tools/peers/slapd-seed.ts';

interface Teardown {
  teardown(work: () => unknown): void;
}

export interface Opened extends LdapDirectory {
  /** Checks a name, by default with its right password. */
  check(
    username: string,
    password?: string,
    from?: { ip?: string; signal?: AbortSignal },
  ): Promise<DirectoryUser | undefined>;
  /** Everything that was logged, as text. */
  readonly lines: string[];
}

/** Opens a directory with the usual options, which the caller may replace. Opens no connection. */
export function opened(t: Teardown, url: string, options: Partial<Options> = {}): Opened {
  const lines: string[] = [];
  const note = (members: object, message: string): void => void lines.push(`${message} ${JSON.stringify(members)}`);
  const made = ldapDirectory({
    url,
    startTls: false,
    allowCleartext: false,
    bindDn: readers.usual,
    bindPassword: readerPassword,
    baseDn,
    userFilter: '(uid={username})',
    attributes: { username: 'uid', email: 'mail', displayName: 'cn' },
    timeoutSeconds: 5,
    connections: 20,
    queue: 1000,
    log: { debug: note, info: note, warn: note, error: note },
    ...options,
  });
  t.teardown(() => made.close());
  return {
    ...made,
    lines,
    check: (
      username,
      password = passwordOf(username),
      { ip = '192.0.2.1', signal = new AbortController().signal } = {},
    ) => made.directory.check(username, password, { ip, signal, now: new Date() }),
  };
}

export interface Proxy {
  readonly url: string;
  /** Open connections now, and the most at a time since the last `reset`. */
  readonly connections: { now: number; most: number; total: number };
  /** Milliseconds before each answer of the server is passed on. */
  delay: number;
  /** Drops all connections without a word to the client when true: bytes are swallowed. */
  silent: boolean;
  cut(): void;
  reset(): void;
}

/** Forwards connections to a port of the loopback address. @param own the port to listen on; 0 for any. */
export async function proxyTo(t: Teardown, port: number, own = 0): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connect(port, '127.0.0.1');
    proxy.connections.now += 1;
    proxy.connections.total += 1;
    proxy.connections.most = Math.max(proxy.connections.most, proxy.connections.now);
    client.on('close', () => void (proxy.connections.now -= 1));
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => proxy.silent || onward.write(bytes));
    onward.on('data', (bytes) => {
      const pass = (): void => void (proxy.silent || client.destroyed || client.write(bytes));
      if (proxy.delay > 0) setTimeout(pass, proxy.delay);
      else pass();
    });
  });
  await once(server.listen(own, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const proxy: Proxy = {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: { now: 0, most: 0, total: 0 },
    delay: 0,
    silent: false,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    reset() {
      proxy.connections.most = proxy.connections.now;
      proxy.connections.total = 0;
    },
  };
  return proxy;
}

/** The message of the error that a check ends with; undefined if it succeeds. */
export const fault = async (checked: Promise<unknown>): Promise<string | undefined> =>
  checked.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
