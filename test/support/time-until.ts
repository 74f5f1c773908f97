// How long something takes to come about, for the bounds that the documents set.
import { setTimeout as pause } from 'node:timers/promises';

/** Between two looks. */
const pauseMs = 10;

/** Milliseconds until `met`; Infinity where it is not within `most`. The look itself counts. */
export async function timeUntil(met: () => Promise<boolean>, most: number): Promise<number> {
  const begun = performance.now();
  for (;;) {
    const is = await met();
    const taken = performance.now() - begun;
    if (is && taken <= most) return taken;
    if (taken > most) return Infinity;
    await pause(pauseMs);
  }
}
