// The access recheck of a push while git moves its refs, of which there may be many. The push is stopped if its caller
// has lost access.
import { oneLine } from './hooks.ts';
import type { Push } from './push.ts';
import type { ReceivePackParts } from './receive-pack.ts';

/** Rechecks from the verdict to the end of the process. A push of few refs is over before the first recheck. */
export function stopWhenLost(push: Push, { limits, log }: Pick<ReceivePackParts, 'limits' | 'log'>): void {
  const { process, request, location, judged } = push;
  const { stands } = request;
  if (stands === undefined || !judged) return;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    if (process.running) timer = setTimeout(() => void ask().finally(wait), limits.standsSeconds * 1000).unref();
  };
  const ask = async (): Promise<void> => {
    try {
      const lost = await stands();
      if (lost === undefined) return;
      push.lost = oneLine(lost);
      await process.stop('its caller has lost access');
    } catch (error) {
      // The push was accepted, so a failed recheck is repeated after the next interval.
      log.warn({ repository: location.id, err: error }, 'whether a push still stands could not be asked');
    }
  };
  wait();
  void process.ended.then(() => clearTimeout(timer));
}
