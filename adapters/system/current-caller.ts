// The current caller, carried along the asynchronous work of a request (AsyncLocalStorage).
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CurrentCaller } from '#core/kernel/access/current-caller';

export function currentCaller(): CurrentCaller {
  const keys = new AsyncLocalStorage<string>();
  return {
    key: () => keys.getStore(),
    run: (key, work) => keys.run(key, work),
  } satisfies CurrentCaller;
}
