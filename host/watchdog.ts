// The watchdog: a thread that sees the server stand still in one piece of code (a synchronous loop), has its plugin
// named in the log, and the process ended.
import { url as debuggerUrl } from 'node:inspector';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface WatchdogOptions {
  /** Milliseconds without a turn of the event loop. */
  readonly limit: number;
  /** Called in the midst of what runs, of which the stack of a new error tells. Ends the process. */
  readonly bite: () => never;
}

/** Where the thread finds `bite`: it reaches the main thread as a debugger does. */
export const biteName = 'hexforge.watchdog';

/** What the thread is given. */
export interface WatchdogData {
  /** Counts up while the event loop turns. */
  readonly heartbeat: Int32Array;
  readonly limit: number;
  /** Milliseconds between two beats. */
  readonly beat: number;
}

/** Watches until the function it returns is called; not where someone debugs: who stands at a breakpoint stands. */
export function startWatchdog({ limit, bite }: WatchdogOptions): () => void {
  if (debuggerUrl() !== undefined) return () => undefined;
  const heartbeat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const beat = Math.min(1_000, limit / 4);
  const timer = setInterval(() => Atomics.add(heartbeat, 0, 1), beat).unref();
  Reflect.set(globalThis, Symbol.for(biteName), bite);
  const module = new URL(`./watchdog-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
  const compiled = getCompileCacheDir();
  const worker = new Worker(module, {
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    workerData: { heartbeat, limit, beat } satisfies WatchdogData,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  worker.unref();
  // A watchdog that cannot run watches nobody, and harms nobody.
  worker.on('error', () => undefined);
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}
