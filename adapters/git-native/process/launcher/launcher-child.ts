// The launcher's helper process: spawns programs, connects their standard streams to the server's socket, and reports
// how each one exited.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import {
  connectionHeader,
  spareConnections,
  type Command,
  type MemoryBounds,
  type MemoryBudget,
  type Notice,
  type StartCommand,
} from './launcher-messages.ts';
import { memoryOf, Resting, type Program } from './memory-bound.ts';

const [, , path = '', bounds = '{}'] = process.argv;
const memory = Object.entries(JSON.parse(bounds) as MemoryBounds);
const keptStderr = 64 * 1024;
/**
 * Milliseconds for which standard error is awaited after the exit: a process that a program left behind may keep it
 * open.
 */
const stderrMs = 200;
/** Milliseconds until a connection that failed is tried again. */
const retryMs = 100;
const running = new Map<number, Running>();
/**
 * Milliseconds between two checks of memory, also when more than half of a budget is used: git may allocate a megabyte
 * per millisecond.
 */
const memoryMs = 100;
const memoryHalfHeldMs = 20;
const idle = new Resting();
const connections = new Map<number, Socket>();
let connected = 0;

interface Running extends Program {
  readonly budget: MemoryBudget;
  readonly kept: boolean;
  readonly child: ChildProcess;
  /** When it was first asked to end because of its memory. */
  starvedAt?: number;
}

function tell(notice: Notice): void {
  process.send?.(notice, undefined, undefined, () => undefined);
}

/** Opens a connection to the server. It is not read here, but given to a program. */
function openConnection(): void {
  connected += 1;
  const number = connected;
  const connection = connect({ path, allowHalfOpen: true });
  connection.pause();
  const again = (): void => void setTimeout(openConnection, retryMs);
  connection.once('error', again);
  connection.once('connect', () => {
    connection.off('error', again).on('error', () => undefined);
    connections.set(number, connection);
    connection.write(connectionHeader(number));
  });
}

function start({ id, program, args, environment, niceness, connections: numbers, ...command }: StartCommand): void {
  const { owner, budget, kept } = command;
  const own = numbers.flatMap((number) => connections.get(number) ?? []);
  const [stdin, stdout, ...relayed] = own;
  if (stdin === undefined || stdout === undefined || own.length !== numbers.length)
    throw new Error('a connection is missing');
  for (const number of numbers) connections.delete(number);
  let child: ChildProcess;
  try {
    // Descriptors from 3 on are relayed through pipes: programs other than git, such as hooks, expect blocking
    // descriptors.
    child = spawn(program, [...args], {
      cwd: '/',
      env: environment,
      detached: true,
      stdio: [stdin, stdout, 'pipe', ...relayed.map(() => 'pipe' as const)],
    });
  } catch (error) {
    for (const connection of relayed) connection.destroy();
    throw error;
  } finally {
    for (const connection of [stdin, stdout]) connection.destroy();
  }
  child.on('error', (error) => {
    // Later errors are of signals that could not be sent.
    if (child.pid === undefined) tell({ id, failed: (error as NodeJS.ErrnoException).code ?? error.message });
  });
  if (child.pid === undefined) {
    for (const connection of relayed) connection.destroy();
    return;
  }
  if (niceness > 0) giveWay(child.pid, niceness);
  for (const [index, end] of relayed.entries()) relay(end, child.stdio[3 + index]);
  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stderr?.on('data', (chunk: Buffer) => {
    if (bytes < keptStderr) chunks.push(chunk);
    bytes += chunk.length;
  });
  const stderrClosed = once(child.stderr ?? child, 'close');
  const entry: Running = { child, pid: child.pid, owner, budget, kept };
  running.set(id, entry);
  tell({ id, started: true });
  child.once('exit', (code, signal) => {
    running.delete(id);
    // Also kills what the program left behind in its group, such as pack-objects.
    if (code !== 0) kill(child, 'SIGKILL');
    void Promise.race([stderrClosed, new Promise((resolve) => setTimeout(resolve, stderrMs))]).then(() => {
      tell({
        id,
        ended: {
          code,
          signal,
          stderr: Buffer.concat(chunks).toString('utf8'),
          ...(entry.starvedAt !== undefined && { starved: true }),
        },
      });
    });
  });
}

/** Lowers the priority of a program. If the system refuses, it competes with the server as an equal. */
function giveWay(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
    // sched(7): if the scheduler groups processes by session, the niceness of a program counts only within its session.
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // The file does not exist, or the program has ended.
  }
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
    // The group has already ended.
  }
}

process.on('message', (command: Command) => {
  if ('signal' in command) {
    const entry = running.get(command.id);
    if (entry !== undefined) kill(entry.child, command.signal);
    return;
  }
  try {
    start(command);
  } catch (error) {
    tell({ id: command.id, failed: error instanceof Error ? error.message : String(error) });
  }
  for (let taken = 0; taken < command.connections.length; taken += 1) openConnection();
});
for (let connection = 0; connection < spareConnections; connection += 1) openConnection();
watchMemory();
// The server decides when the helper ends. A terminal or supervisor that signals both must not end the helper first.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => {
  for (const { child } of running.values()) kill(child, 'SIGTERM');
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit();
});

function watchMemory(): void {
  const resting = idle.among([...running.values()].filter(({ kept }) => kept));
  const soon = memory.map(([budget, most]) => hold(budget, most, resting)).includes(true);
  setTimeout(watchMemory, soon ? memoryHalfHeldMs : memoryMs).unref();
}

/**
 * Ends programs of a budget that is exceeded.
 * @returns whether more than half of the budget is used.
 */
function hold(name: string, most: number, resting: readonly Running[]): boolean {
  const programs = [...running.values()].filter(({ budget }) => budget === name);
  const spare = resting.filter(({ budget }) => budget === name);
  const { bytes, greediest } = memoryOf(programs, most);
  if (greediest !== undefined && spare.length > 0) for (const { child } of spare) kill(child, 'SIGTERM');
  else if (greediest !== undefined) {
    const now = performance.now();
    greediest.starvedAt ??= now;
    // SIGTERM first, so that the program can clean up.
    kill(greediest.child, now - greediest.starvedAt < memoryMs ? 'SIGTERM' : 'SIGKILL');
  }
  return bytes > most / 2;
}
