// Finds the route of a request with hapi's own router, outside of hapi. hapi itself has a single route: adding one
// takes 0.2 ms, and all of them a tenth of the start time.
import { Router } from '@hapi/call';
import type { Lifecycle } from '@hapi/hapi';
import type { Call } from '#core/kernel/caller';
import type { Route } from '../descriptor/route.ts';

export interface Entry {
  readonly method: Route['method'];
  readonly path: string;
  /** Whether the route exists, given the ports it requires. */
  readonly visible: () => boolean;
  /** Whether it exists for the caller of the call. */
  readonly there?: ((call: Call) => Promise<boolean>) | undefined;
  /** Whether pages of any origin may call it. */
  readonly cors: boolean;
  /** Whether it is a page for browsers. */
  readonly page?: boolean;
  readonly handler: Lifecycle.Method;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export class Routing {
  readonly #router = new Router<Entry>();

  /** @throws {Error} if two entries conflict. */
  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#router.add(entry, entry);
  }

  /** @param method in lower case, as in hapi; `head` finds the same as `get`. */
  find(
    method: string,
    path: string,
  ): { readonly entry: Entry; readonly params: Readonly<Record<string, string>> } | undefined {
    const found = this.#router.route(method, path);
    return found instanceof Error ? undefined : { entry: found.route, params: found.params };
  }

  /** The methods of a path, and whether any of them allows other origins. The caller may not be known yet. */
  async allowed(path: string, call: Call): Promise<{ readonly methods: readonly string[]; readonly cors: boolean }> {
    const found: string[] = [];
    let anyOrigin = false;
    for (const method of methods) {
      const entry = this.find(method.toLowerCase(), path)?.entry;
      if (entry?.visible() !== true || (await entry.there?.(call)) === false) continue;
      found.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
      anyOrigin ||= entry.cors;
    }
    return { methods: found.length === 0 ? [] : [...found, 'OPTIONS'], cors: anyOrigin };
  }
}
