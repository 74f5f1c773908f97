// Which route a request is for. hapi's own router finds it, outside of hapi: to hapi all of them are one route, for it
// takes 0.2 ms to add one, which is a tenth of a start.
import { Router } from '@hapi/call';
import type { Lifecycle } from '@hapi/hapi';
import type { Call } from '#core/kernel/caller';
import type { Route } from './route.ts';

export interface Entry {
  readonly method: Route['method'];
  readonly path: string;
  /** Whether the route is there at all, given the ports it requires. */
  readonly visible: () => boolean;
  /** Whether it is there for the caller of the call. */
  readonly there?: ((call: Call) => Promise<boolean>) | undefined;
  /** Whether pages of any origin may call it. */
  readonly cors: boolean;
  readonly handler: Lifecycle.Method;
}

export interface Found {
  readonly entry: Entry;
  readonly params: Readonly<Record<string, string>>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export class Routing {
  readonly #router = new Router<Entry>();

  /** @throws {Error} where two entries conflict. */
  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#router.add(entry, entry);
  }

  /** @param method in lower case, as hapi has it; `head` finds what `get` does. */
  find(method: string, path: string): Found | undefined {
    const found = this.#router.route(method, path);
    return found instanceof Error ? undefined : { entry: found.route, params: found.params };
  }

  /** What is at the path, for the caller as far as that is known. */
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
