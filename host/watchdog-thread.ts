// The thread of the watchdog: counts how long the main thread has not beaten, by its own ticks, then interrupts it as a
// debugger does and has it name what it is in.
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';
import { biteName, type WatchdogData } from './watchdog.ts';

const { heartbeat, limit, beat } = workerData as WatchdogData;
/** For the main thread to end the process once it was interrupted. Code outside JavaScript may not be. */
const graceMs = 5_000;

let seen = Atomics.load(heartbeat, 0);
let silent = 0;
let last = performance.now();

let biting = false;

setInterval(() => {
  const now = performance.now();
  // A process that was stopped, or a machine that slept, comes back with one long tick: that is no silence.
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
  const patience = setTimeout(giveUp, graceMs);
  const session = new Session();
  session.connectToMainThread();
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const [frame] = callFrames;
    // It has come back meanwhile.
    if (frame === undefined || moved()) {
      clearTimeout(patience);
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

/** There is no exit code of one's own to be had from here. */
function giveUp(): void {
  const time = new Date().toISOString();
  const msg = `the server stood still for ${limit / 1000} s in code that cannot be interrupted: the process ends`;
  writeSync(2, `${JSON.stringify({ level: 50, time, name: 'host', msg })}\n`);
  process.kill(process.pid, 'SIGKILL');
}
