// Starts a Redis server for the tests: on a free port of the loopback address, without files, ended by `stop`.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, install, killed } from './machine.ts';

export interface RedisServer {
  readonly url: string;
  /** Kills the server, as in a crash: its data is lost. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  /** Suspends the server: connections are accepted but not answered until `resume`. */
  freeze(): void;
  resume(): void;
}

const program = 'redis-server';
const startMs = 10_000;

/** Installs the server if it is missing. @throws {Error} if it cannot be installed. */
export function ensureRedis(): void {
  if (spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0) install(program);
}

/** Starts a server. The caller must stop it; a stopped server can be started again. */
export async function startRedis(): Promise<RedisServer> {
  ensureRedis();
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
    const running = child;
    for (const end = performance.now() + startMs; !(await answers(port)); await sleep(20)) {
      if (running.exitCode !== null || performance.now() > end) throw new Error(`${program} does not start on ${port}`);
    }
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async stop() {
      const running = child;
      child = undefined;
      await killed(running);
    },
    freeze: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return reply.toString().startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
