// The thread of the watchdog: measures how long the main thread has not updated its heartbeat, then interrupts it
// through the inspector and makes it name the running code.
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { biteName, type WatchdogData } from './watchdog.ts';

const { heartbeat, limit, beat } = workerData as WatchdogData;
/**
 * The milliseconds that the main thread has to end the process after the interruption. Code outside JavaScript cannot
 * be interrupted.
 */
const graceMs = 5_000;

let seen = Atomics.load(heartbeat, 0);
let silent = 0;
let last = performance.now();

let biting = false;

setInterval(() => {
  const now = performance.now();
  // After a stopped process or a sleeping machine, one tick takes long; that does not count as a blocked event loop.
  silent += Math.min(now - last, beat * 2);
  last = now;
  if (moved()) silent = 0;
  if (silent >= limit && !biting) bite();
}, beat);

function moved(): boolean {
  const before = seen;
  seen = Atomics.load(heartbeat, 0);
  return seen !== before;
}

function bite(): void {
  biting = true;
  const timeLimit = setTimeout(giveUp, graceMs);
  const session = new Session();
  session.connectToMainThread();
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const [frame] = callFrames;
    // The main thread has continued meanwhile.
    if (frame === undefined || moved()) {
      clearTimeout(timeLimit);
      session.post('Debugger.resume');
      session.disconnect();
      [biting, silent] = [false, 0];
      return;
    }
    const expression = `globalThis[Symbol.for(${JSON.stringify(biteName)})]()`;
    session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression });
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

/** Kills the process, because a thread cannot set its exit code. */
function giveUp(): void {
  const time = new Date().toISOString();
  const msg = `the server stood still for ${limit / 1000} s in code that cannot be interrupted: the process ends`;
  writeSync(2, `${JSON.stringify({ level: 50, time, name: 'host', msg })}\n`);
  process.kill(process.pid, 'SIGKILL');
}
