// The commands that replace a secret: `hexforge admin reset-password`, `rotate-key` and `signing-keys rotate`.
import { resetPassword, rotateSigningKeys } from '../control/controls.ts';
import { rotateKey } from '../control/rotation.ts';
import { print, type Command } from './command.ts';
import { byServerOrHere } from './offline.ts';

export const adminResetPassword: Command = {
  name: 'admin reset-password',
  takes: ['NAME'],
  summary: 'gives an account a new password and ends its sessions and tokens',
  example: 'hexforge admin reset-password admin',
  async run(context) {
    const [username = ''] = context.positionals;
    const request = { ask: 'reset-password', argument: username };
    const { password } = await byServerOrHere(context, request, async ({ machine }) => {
      machine.stayBuilt();
      return resetPassword(machine.container, username);
    });
    print(context, `password: ${password}`);
    return 0;
  },
};

export const rotateKeyCommand: Command = {
  name: 'rotate-key',
  summary: 'makes a new secret key and seals all secrets again under it',
  example: 'hexforge rotate-key',
  async run(context) {
    const request = { ask: 'rotate-key' };
    const { made, resealed } = await byServerOrHere(context, request, ({ machine, secretKeys }) =>
      rotateKey(machine.container, secretKeys),
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

export const signingKeysRotate: Command = {
  name: 'signing-keys rotate',
  summary: 'signs ID tokens with a new key; the one before is published two days more',
  example: 'hexforge signing-keys rotate',
  async run(context) {
    const { kid } = await byServerOrHere(context, { ask: 'rotate-signing-keys' }, async ({ machine }) => {
      machine.stayBuilt();
      return rotateSigningKeys(machine.container);
    });
    print(context, `kid: ${kid}`);
    return 0;
  },
};
