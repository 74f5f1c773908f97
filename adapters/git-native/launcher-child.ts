// The process from which programs are started: it connects each to the server's socket, and tells how each ended.
import { Buffer } from 'node:buffer';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { dirname } from 'node:path';
import process from 'node:process';
import { greeting, type Order, type Report, type StartOrder } from './launcher-orders.ts';

const [, , path = ''] = process.argv;
const keptComplaint = 64 * 1024;
/** A process that a program left behind may keep standard error open. */
const complaintMs = 200;
const running = new Map<number, ChildProcess>();

function tell(report: Report): void {
  process.send?.(report, undefined, undefined, () => undefined);
}

/** A connection to the server that nobody here reads: it is handed on. */
async function line(id: number, descriptor: number): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  socket.pause();
  await once(socket, 'connect');
  await new Promise<void>((resolve, reject) => {
    socket.write(greeting(id, descriptor), (error) => error ? reject(error) : resolve());
  });
  return socket;
}

async function start({ id, program, args, environment, pipes }: StartOrder): Promise<void> {
  const [stdin, stdout, ...relayed] = await Promise.all(Array.from({ length: 2 + pipes }, (_, descriptor) => line(id, descriptor)));
  if (stdin === undefined || stdout === undefined) return;
  let child: ChildProcess;
  try {
    // Descriptors from 3 on are relayed: a program that is no git, such as a hook, expects them to block.
    child = spawn(program, [...args], { cwd: '/', env: environment, detached: true, stdio: [stdin, stdout, 'pipe', ...relayed.map(() => 'pipe' as const)] });
  } finally {
    for (const own of [stdin, stdout]) own.destroy();
  }
  for (const [index, end] of relayed.entries()) relay(end, child.stdio[3 + index]);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (bytes < keptComplaint) chunks.push(chunk);
    bytes += chunk.length;
  });
  const complained = once(child.stderr ?? child, 'close');
  child.on('error', (error) => {
    // Later ones are of signals that came too late.
    if (child.pid === undefined) tell({ id, failed: (error as NodeJS.ErrnoException).code ?? error.message });
  });
  if (child.pid === undefined) return;
  running.set(id, child);
  tell({ id, started: true });
  child.once('exit', (code, signal) => {
    running.delete(id);
    // What the leader left behind in its group, such as pack-objects.
    if (code !== 0) kill(child, 'SIGKILL');
    void Promise.race([complained, new Promise((resolve) => setTimeout(resolve, complaintMs))]).then(() => {
      tell({ id, ended: { code, signal, complaint: Buffer.concat(chunks).toString('utf8') } });
    });
  });
}

function relay(server: Socket, program: unknown): void {
  if (!(program instanceof Socket)) return;
  for (const [from, to] of [[server, program], [program, server]] as const) {
    from.on('error', () => undefined);
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

process.on('message', (order: Order) => {
  if ('signal' in order) {
    const child = running.get(order.id);
    if (child !== undefined) kill(child, order.signal);
    return;
  }
  start(order).catch((error: unknown) => tell({ id: order.id, failed: error instanceof Error ? error.message : String(error) }));
});
// The server decides when it ends; a terminal or a supervisor that ends both must not take it first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => {
  for (const child of running.values()) kill(child, 'SIGTERM');
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});
