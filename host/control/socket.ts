// The control socket: a Unix domain socket for the owner of the data directory, on which the command line sends
// requests to a running server as JSON lines.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { told } from '../problems/problem.ts';

/**
 * Handlers of requests, by name. Each returns plain JSON, or throws an error whose message is shown to the operator.
 */
export type Handlers = Readonly<Record<string, (argument: string | undefined) => Promise<unknown>>>;

interface Request {
  readonly ask: string;
  readonly argument?: string;
}

type Answer =
  | { readonly ok: true; readonly pid: number; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** A running server refused a request; the message is its reason. */
export class ServerRefused extends Error {}

/** `sun_path` of unix(7) holds 108 bytes including the final zero; Node rejects longer paths. */
const longestPath = 107;
const runDirectory = (dataDir: string): string => join(dataDir, 'run');
const oneLine = 64 * 1024;

/**
 * Listens until the returned function is called. Several servers may share one data directory, each with its own
 * socket.
 */
export async function openControl(dataDir: string, handlers: Handlers): Promise<() => Promise<void>> {
  const run = runDirectory(dataDir);
  mkdirSync(run, { recursive: true, mode: 0o700 });
  await removeStale(run);
  const name = randomBytes(4).toString('hex');
  const direct = join(run, `${name}.sock`);
  const path = Buffer.byteLength(direct) <= longestPath ? direct : join(mkdtempSync(join(tmpdir(), 'hexforge-')), 's');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    void answer(socket, handlers);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  if (path !== direct) writeFileSync(join(run, `${name}.path`), path, { mode: 0o600 });
  server.unref();
  return async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    forget(run, name, path);
  };
}

async function answer(socket: Socket, handlers: Handlers): Promise<void> {
  try {
    const { ask, argument } = await readLine<Request>(socket);
    const handle = Object.hasOwn(handlers, ask) ? handlers[ask] : undefined;
    if (handle === undefined)
      throw new Error(`The running server does not know "${ask}": it may be of another version`);
    send(socket, { ok: true, pid: process.pid, value: (await handle(argument)) ?? null });
  } catch (error) {
    send(socket, { ok: false, message: told(error) });
  }
}

const send = (socket: Socket, message: Answer | Request): void => {
  socket.end(`${JSON.stringify(message)}\n`);
};

/**
 * Sends a request to a running server. @returns undefined if no server runs on this data directory. @throws
 * {ServerRefused} with the server's message.
 */
export async function askServer(
  dataDir: string,
  request: Request,
): Promise<{ readonly pid: number; readonly value: unknown } | undefined> {
  for (const { path } of listSockets(runDirectory(dataDir))) {
    const socket = await open(path);
    if (socket === undefined) continue;
    try {
      // `end` would half-close the socket, and the server would close it before answering.
      socket.write(`${JSON.stringify(request)}\n`);
      const reply = await readLine<Answer>(socket);
      if (!reply.ok) throw new ServerRefused(reply.message);
      return { pid: reply.pid, value: reply.value };
    } finally {
      socket.destroy();
    }
  }
  return undefined;
}

function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

async function readLine<T>(socket: Socket): Promise<T> {
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > oneLine * 16) socket.destroy();
  });
  for await (const line of createInterface({ input: socket })) return JSON.parse(line) as T;
  throw new Error('The connection ended without an answer');
}

function listSockets(run: string): readonly { readonly name: string; readonly path: string }[] {
  try {
    return readdirSync(run).flatMap((entry) => {
      const name = entry.replace(/\.(sock|path)$/, '');
      if (entry.endsWith('.sock')) return [{ name, path: join(run, entry) }];
      return entry.endsWith('.path') ? [{ name, path: readFileSync(join(run, entry), 'utf8') }] : [];
    });
  } catch {
    // The directory does not exist: no server has ever run here.
    return [];
  }
}

/** Removes sockets left by killed servers. */
async function removeStale(run: string): Promise<void> {
  for (const { name, path } of listSockets(run)) {
    const socket = await open(path);
    if (socket === undefined) forget(run, name, path);
    socket?.destroy();
  }
}

function forget(run: string, name: string, path: string): void {
  rmSync(join(run, `${name}.sock`), { force: true });
  rmSync(join(run, `${name}.path`), { force: true });
  if (dirname(path) !== run && dirname(path).startsWith(join(tmpdir(), 'hexforge-')))
    rmSync(dirname(path), { recursive: true, force: true });
}
