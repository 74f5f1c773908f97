// A plugin that provides `ExternalSignIn` in memory, in place of the accounts.
import { definePlugin, Forbidden, NotFound, type ExternalSignIn, type Identified } from 'hexforge/plugin';

export interface Finished extends Identified {
  readonly returnTo: string | undefined;
}

/** The cookie of a browser that has started a sign-in. It is `SameSite=Lax`. */
export const cookieOf = (state: string): string => `started=${state}`;

export function externalSignIn() {
  const started = new Map<string, { readonly kept: string; readonly returnTo: string | undefined }>();
  const used = new Set<string>();
  const finished: Finished[] = [];
  let states = 0;
  const plugin = definePlugin({
    name: 'accounts',
    version: '0.1.0',
    api: '^0.2.0',
    late: ['SignInFlow'],
    provides: {
      ExternalSignIn: (_parts, { late }): ExternalSignIn => ({
        async start(_call, provider, { returnTo }) {
          const [flow] = late.SignInFlow;
          if (flow === undefined) throw new NotFound('There is no provider');
          states += 1;
          const state = String(states).padStart(43, 's');
          const { redirectUrl, kept } = await flow.start(provider, state);
          started.set(state, { kept, returnTo });
          const cookie = { name: 'started', value: state, sameSite: 'Lax', path: '/', maxAgeSeconds: 600 } as const;
          return { location: redirectUrl, cookies: [cookie] };
        },
        expects: (_provider, state, cookie) => started.has(state) && cookie === cookieOf(state),
        isUsed: async (_provider, key) => used.has(key),
        async finish(_call, _provider, { state = '', cookie, browser, identify }) {
          const one = started.get(state);
          let identified: Identified;
          try {
            if (one === undefined || cookie !== cookieOf(state))
              throw new Forbidden('This browser has not started the sign-in', { code: 'state_mismatch' });
            identified = await identify(one.kept);
          } catch (error) {
            if (!browser || !(error instanceof Forbidden)) throw error;
            return { location: `/-/sign-in?error=${error.code}`, cookies: [] };
          }
          started.delete(state);
          if (identified.once !== undefined) used.add(identified.once.key);
          finished.push({ ...identified, returnTo: one.returnTo });
          return { location: one.returnTo ?? '/', cookies: [] };
        },
      }),
    },
  });
  return { plugin, finished };
}
