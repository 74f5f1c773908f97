// The process from which programs are started: it connects each to the server's socket, and tells how each ended.
import { Buffer } from 'node:buffer';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { dirname } from 'node:path';
import process from 'node:process';
import { greeting, spareLines, type Order, type Report, type StartOrder } from './launcher-messages.ts';

const [, , path = ''] = process.argv;
const keptComplaint = 64 * 1024;
/** A process that a program left behind may keep standard error open. */
const complaintMs = 200;
/** Until there may be room for a connection again. */
const retryMs = 100;
const running = new Map<number, ChildProcess>();
const lines = new Map<number, Socket>();
let connected = 0;

function tell(report: Report): void {
  process.send?.(report, undefined, undefined, () => undefined);
}

/** Adds a connection to the server. Nobody here reads it: it is handed on. */
function connectLine(): void {
  connected += 1;
  const number = connected;
  const line = connect({ path, allowHalfOpen: true });
  line.pause();
  const again = (): void => void setTimeout(connectLine, retryMs);
  line.once('error', again);
  line.once('connect', () => {
    line.off('error', again).on('error', () => undefined);
    lines.set(number, line);
    line.write(greeting(number));
  });
}

function start({ id, program, args, environment, lines: numbers }: StartOrder): void {
  const own = numbers.flatMap((number) => lines.get(number) ?? []);
  const [stdin, stdout, ...relayed] = own;
  if (stdin === undefined || stdout === undefined || own.length !== numbers.length)
    throw new Error('a connection is missing');
  for (const number of numbers) lines.delete(number);
  let child: ChildProcess;
  try {
    // Descriptors from 3 on are relayed: a program that is no git, such as a hook, expects them to block.
    child = spawn(program, [...args], {
      cwd: '/',
      env: environment,
      detached: true,
      stdio: [stdin, stdout, 'pipe', ...relayed.map(() => 'pipe' as const)],
    });
  } catch (error) {
    for (const line of relayed) line.destroy();
    throw error;
  } finally {
    for (const line of [stdin, stdout]) line.destroy();
  }
  child.on('error', (error) => {
    // Later ones are of signals that came too late.
    if (child.pid === undefined) tell({ id, failed: (error as NodeJS.ErrnoException).code ?? error.message });
  });
  if (child.pid === undefined) {
    for (const line of relayed) line.destroy();
    return;
  }
  for (const [index, end] of relayed.entries()) relay(end, child.stdio[3 + index]);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (bytes < keptComplaint) chunks.push(chunk);
    bytes += chunk.length;
  });
  const complained = once(child.stderr ?? child, 'close');
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
  for (const [from, to] of [
    [server, program],
    [program, server],
  ] as const) {
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
  try {
    start(order);
  } catch (error) {
    tell({ id: order.id, failed: error instanceof Error ? error.message : String(error) });
  }
  for (let taken = 0; taken < order.lines.length; taken += 1) connectLine();
});
for (let line = 0; line < spareLines; line += 1) connectLine();
// The server decides when it ends; a terminal or a supervisor that ends both must not take it first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => {
  for (const child of running.values()) kill(child, 'SIGTERM');
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});
