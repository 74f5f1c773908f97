// The client, loaded when the first sign-in needs it: its library takes longer to load than all other plugins.
import type { SignInClient, SignInClientOptions } from './client.ts';

/** As `signInClient` of client.ts. */
export function signInClient(options: SignInClientOptions): SignInClient {
  let loading: Promise<SignInClient> | undefined;
  const loaded = (): Promise<SignInClient> =>
    (loading ??= import('./client.ts').then((it) => it.signInClient(options)));
  return {
    start: async (...asked) => (await loaded()).start(...asked),
    identify: async (...asked) => (await loaded()).identify(...asked),
    inspect: async (...asked) => (await loaded()).inspect(...asked),
  };
}
