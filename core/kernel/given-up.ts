// What providers of `Intents` say of one that does not stand any more.
import { Unavailable } from './errors.ts';

export const givenUp = (intentId: string): Unavailable =>
  new Unavailable('The change was given up before it was made: the server had lost its database for too long', {
    detail: `Nothing was changed; try again. Intent ${intentId}`,
  });
