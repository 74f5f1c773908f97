// `hexforge signing-keys rotate`: another key signs from here on, such as after the one before was seen by others.
import { askServer } from '../control.ts';
import { migrate } from '../forge.ts';
import { rotateSigningKeys } from '../serve.ts';
import { examined, print, remark, type Command } from './command.ts';
import { offline } from './offline.ts';

export const signingKeysRotate: Command = {
  name: 'signing-keys rotate',
  summary: 'signs ID tokens with a new key; the one before is published two days more',
  example: 'hexforge signing-keys rotate',
  async run(context) {
    const { configuration } = await examined(context);
    const answer = await askServer(configuration.dataDir, { ask: 'rotate-signing-keys' });
    remark(
      context,
      answer === undefined
        ? `No server runs on ${configuration.dataDir}: opening the database`
        : `Done by the running server (pid ${answer.pid})`,
    );
    const { kid } =
      answer === undefined
        ? await offline(context, configuration, async (open) => {
            await migrate(open);
            await open.machine.build();
            open.machine.stayBuilt();
            return rotateSigningKeys(open.machine.container);
          })
        : (answer.value as { readonly kid: string });
    print(context, `kid: ${kid}`);
    return 0;
  },
};
