// The sign-ins by redirect that a browser has started. They are sealed in a cookie: only this browser can finish them,
// and the server stores nothing for those that are never finished.
import type { Sealer } from '#core/kernel/access/credentials';

/** One that has been started. */
export interface BrowserFlow {
  /** Unguessable; the provider sends it back. */
  readonly state: string;
  readonly provider: string;
  /** Text that the plugin of the provider needs to check the answer. */
  readonly kept: string;
  /** The path to go on to, or empty. */
  readonly returnTo: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Absent: a sign-in. `link`: the identity is added to this account. `test`: an administrator tests the provider. */
  readonly purpose?: 'link' | 'test';
  /** The user and the session that started it, if it has a purpose. */
  readonly userId?: string;
  readonly sessionId?: string;
}

/** Seconds in which a sign-in must be finished. */
export const flowSeconds = 600;

/** The largest lengths of the members whose length others choose. */
export const flowLimits = { kept: 1000, returnTo: 1024 } as const;

/** The number of sign-ins that a browser may have started, in several tabs, and their bytes: cookies have 4 KB. */
const most = { flows: 5, bytes: 2600 } as const;

const about = 'sign-in-flows';

export interface BrowserFlows {
  /** Those in the value of a cookie that have not expired; none if the value is not valid. */
  read(cookie: string | undefined, now: Date): readonly BrowserFlow[];
  /** The value of the cookie, or an empty one if none is left. Keeps the last ones that fit. */
  write(flows: readonly BrowserFlow[]): string;
}

export function browserFlows(sealer: Sealer): BrowserFlows {
  return {
    read(cookie, now) {
      if (cookie === undefined || cookie === '') return [];
      try {
        // A sealed text of this kind was made by `write`.
        const flows = JSON.parse(new TextDecoder().decode(sealer.open(cookie, about))) as readonly BrowserFlow[];
        return flows.filter(({ expires }) => expires > now.getTime());
      } catch {
        return [];
      }
    },
    write(flows) {
      const encoded = (kept: readonly BrowserFlow[]): Uint8Array => new TextEncoder().encode(JSON.stringify(kept));
      let kept = flows.slice(-most.flows);
      while (kept.length > 1 && encoded(kept).length > most.bytes) kept = kept.slice(1);
      return kept.length === 0 ? '' : sealer.seal(encoded(kept), about);
    },
  };
}
