// `hexforge admin reset-password`: the way back in for who holds the machine.
import { askServer } from '../control.ts';
import { migrate } from '../forge.ts';
import { resetPassword } from '../serve.ts';
import { examined, print, remark, type Command } from './command.ts';
import { offline } from './offline.ts';

export const adminResetPassword: Command = {
  name: 'admin reset-password',
  takes: ['NAME'],
  summary: 'gives an account a new password and ends its sessions and tokens',
  example: 'hexforge admin reset-password admin',
  async run(context) {
    const { configuration } = await examined(context);
    const [username = ''] = context.positionals;
    const answer = await askServer(configuration.dataDir, { ask: 'reset-password', argument: username });
    remark(
      context,
      answer === undefined
        ? `No server runs on ${configuration.dataDir}: opening the database`
        : `Done by the running server (pid ${answer.pid})`,
    );
    const { password } =
      answer === undefined
        ? await offline(context, configuration, async (open) => {
            await migrate(open);
            await open.machine.build();
            open.machine.stayBuilt();
            return resetPassword(open.machine.container, username);
          })
        : (answer.value as { readonly password: string });
    print(context, `password: ${password}`);
    return 0;
  },
};
