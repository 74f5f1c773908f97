// The watchdog: a thread that detects a blocked event loop (a synchronous loop), has the responsible plugin named in
// the log, and ends the process.
import { url as debuggerUrl } from 'node:inspector';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface WatchdogOptions {
  /** Milliseconds without an event loop iteration. */
  readonly limit: number;
  /** Called inside the running code, so that the stack of a new error shows it. Ends the process. */
  readonly bite: () => never;
}

/** The name of the global function that the thread calls through the inspector to end the process. */
export const biteName = 'hexforge.watchdog';

/** The data that the thread receives. */
export interface WatchdogData {
  /** Incremented on a timer of the event loop. */
  readonly heartbeat: Int32Array;
  readonly limit: number;
  /** Milliseconds between two heartbeats. */
  readonly beat: number;
}

/**
 * Watches until the returned function is called. Does nothing under a debugger, because a breakpoint also blocks the
 * event loop.
 */
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
  // If the watchdog thread cannot run, the server runs without it.
  worker.on('error', () => undefined);
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}
