// The command `hexforge signing-keys rotate`: makes a new signing key, for example after the old one leaked.
import { rotateSigningKeys } from '../control/controls.ts';
import { examined, print, type Command } from './command.ts';
import { byServerOrHere } from './offline.ts';

export const signingKeysRotate: Command = {
  name: 'signing-keys rotate',
  summary: 'signs ID tokens with a new key; the one before is published two days more',
  example: 'hexforge signing-keys rotate',
  async run(context) {
    const { configuration } = await examined(context);
    const request = { ask: 'rotate-signing-keys' };
    const { kid } = await byServerOrHere(context, configuration, request, async ({ machine }) => {
      machine.stayBuilt();
      return rotateSigningKeys(machine.container);
    });
    print(context, `kid: ${kid}`);
    return 0;
  },
};
