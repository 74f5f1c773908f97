// The commands that the command line sends to a running server, or runs itself on an offline forge.
import type { Handlers } from './control.ts';
import { deadLetterControls } from './dead-letters.ts';
import { traitsOf } from './plan.ts';
import { Refused } from './problem.ts';
import { rotateKey } from './rotation.ts';
import type { SecretKeys } from './secret-key.ts';
import type { Forge } from './serve.ts';

export function controls(forge: Pick<Forge, 'port' | 'deliveries'>, secretKeys: SecretKeys): Handlers {
  return {
    plugins: () => forge.port('PluginInventory').list(),
    ...deadLetterControls(forge.deliveries),
    'reset-password': async (username = '') => resetPassword(forge, username),
    'rotate-key': async () => rotateKey(forge, secretKeys),
    'rotate-signing-keys': () => rotateSigningKeys(forge),
  };
}

export async function rotateSigningKeys(forge: Pick<Forge, 'port'>): Promise<{ readonly kid: string }> {
  const keys = forge.port('SigningKeyRotation');
  if (keys === undefined)
    throw new Refused([
      {
        code: 'no_signing_keys',
        message: 'No enabled plugin signs anything for others',
        remedy: 'Enable the one that does, and try again',
      },
    ]);
  return keys.rotate();
}

export async function resetPassword(
  forge: Pick<Forge, 'port'>,
  username: string,
): Promise<{ readonly password: string }> {
  // The port is declared by its area, which is loaded only if a plugin uses it.
  const recovery = traitsOf('AccountRecovery') === undefined ? undefined : forge.port('AccountRecovery');
  if (recovery === undefined)
    throw new Refused([
      {
        code: 'no_accounts',
        message: 'No enabled plugin keeps accounts',
        remedy: 'Enable the one that does, and try again',
      },
    ]);
  return recovery.resetPassword(username);
}
