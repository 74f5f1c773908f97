// `hexforge rotate-key`: a new key for what is sealed at rest.
import { askServer } from '../control.ts';
import { migrate } from '../forge.ts';
import { rotateKey, type Rotation } from '../rotation.ts';
import { examined, print, remark, type Command } from './command.ts';
import { offline } from './offline.ts';

export const rotateKeyCommand: Command = {
  name: 'rotate-key',
  summary: 'makes a new secret key and seals all secrets again under it',
  example: 'hexforge rotate-key',
  async run(context) {
    const { configuration } = await examined(context);
    const answer = await askServer(configuration.dataDir, { ask: 'rotate-key' });
    remark(
      context,
      answer === undefined
        ? `No server runs on ${configuration.dataDir}: opening the database`
        : `Done by the running server (pid ${answer.pid})`,
    );
    const { made, resealed } =
      answer === undefined
        ? await offline(context, configuration, async (open) => {
            await migrate(open);
            await open.machine.build();
            return rotateKey(open.machine.container, open.secretKeys);
          })
        : (answer.value as Rotation);
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
