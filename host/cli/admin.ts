// The command `hexforge admin reset-password`: restores access for an operator of the machine.
import { resetPassword } from '../control/controls.ts';
import { examined, print, type Command } from './command.ts';
import { byServerOrHere } from './offline.ts';

export const adminResetPassword: Command = {
  name: 'admin reset-password',
  takes: ['NAME'],
  summary: 'gives an account a new password and ends its sessions and tokens',
  example: 'hexforge admin reset-password admin',
  async run(context) {
    const { configuration } = await examined(context);
    const [username = ''] = context.positionals;
    const request = { ask: 'reset-password', argument: username };
    const { password } = await byServerOrHere(context, configuration, request, async ({ machine }) => {
      machine.stayBuilt();
      return resetPassword(machine.container, username);
    });
    print(context, `password: ${password}`);
    return 0;
  },
};
