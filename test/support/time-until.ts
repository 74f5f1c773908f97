// Measures how long a condition takes to become true, for tests of time bounds.
import { setTimeout as pause } from 'node:timers/promises';

/** The pause between two checks. */
const pauseMs = 10;

/**
 * Milliseconds until `met` returns true; Infinity if that takes longer than `most`. The time of the check itself
 * counts.
 */
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
