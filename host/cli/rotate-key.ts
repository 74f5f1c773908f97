// The command `hexforge rotate-key`: makes a new key for stored secrets.
import { rotateKey } from '../control/rotation.ts';
import { examined, print, type Command } from './command.ts';
import { byServerOrHere } from './offline.ts';

export const rotateKeyCommand: Command = {
  name: 'rotate-key',
  summary: 'makes a new secret key and seals all secrets again under it',
  example: 'hexforge rotate-key',
  async run(context) {
    const { configuration } = await examined(context);
    const { made, resealed } = await byServerOrHere(
      context,
      configuration,
      { ask: 'rotate-key' },
      ({ machine, secretKeys }) => rotateKey(machine.container, secretKeys),
    );
    print(
      context,
      made
        ? 'a new key seals from now on; the ones before stay beside it, for what is not sealed again yet'
        : 'the first key of HEXFORGE_SECRET_KEY seals; to rotate it, put a new one before it, with a comma between',
    );
    for (const { what, count } of resealed) print(context, `${what} sealed again: ${count}`);
    return 0;
  },
};
