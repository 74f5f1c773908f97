// The error that providers of `Intents` throw for an intent that is no longer open.
import { Unavailable } from '../errors.ts';

export const intentNotOpen = (intentId: string): Unavailable =>
  new Unavailable('The change was given up before it was made: the server had lost its database for too long', {
    detail: `Nothing was changed; try again. Intent ${intentId}`,
  });
