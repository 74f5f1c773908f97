// The commands that the command line sends to a running server, or runs itself on an offline forge.
import type { IndexingState, SearchIndexing } from '#core/kernel/services/search-indexing';
import type { Deliveries } from '#core/kernel/storage/storage';
import type { Container } from '../boot/container.ts';
import type { Handlers } from './socket.ts';
import { deadLetterAction, deadLetterReport } from '../storage/dead-letters.ts';
import { traitsOf } from '../plugin/plan.ts';
import { refusal } from '../problems/problem.ts';
import { rotateKey } from './rotation.ts';
import type { SecretKeys } from '../storage/secret-key.ts';

/** Access to the ports of a forge. */
export type Ports = Pick<Container, 'port'>;

export function controls(forge: Ports & { readonly deliveries: Deliveries }, secretKeys: SecretKeys): Handlers {
  return {
    plugins: () => forge.port('PluginInventory').list(),
    ...deadLetterControls(forge.deliveries),
    'reset-password': async (username = '') => resetPassword(forge, username),
    'rotate-key': async () => rotateKey(forge, secretKeys),
    'rotate-signing-keys': () => rotateSigningKeys(forge),
    reindex: async (path) => reindex(forge, path),
    'index-state': async () => searchIndexing(forge).state(),
  };
}

export const deadLetterControls = (deliveries: Deliveries): Handlers => ({
  parked: () => deadLetterReport(deliveries),
  replay: (argument) => deadLetterAction(deliveries, 'replay', argument),
  drop: (argument) => deadLetterAction(deliveries, 'drop', argument),
});

export async function rotateSigningKeys(forge: Ports): Promise<{ readonly kid: string }> {
  const keys = forge.port('SigningKeyRotation');
  if (keys === undefined)
    throw refusal(
      'no_signing_keys',
      'No enabled plugin signs anything for others',
      'Enable the one that does, which `hexforge plugins` lists, and try again',
    );
  return keys.rotate();
}

export function searchIndexing(forge: Ports): SearchIndexing {
  const indexing = forge.port('SearchIndexing');
  if (indexing === undefined)
    throw refusal(
      'no_search',
      'No enabled plugin indexes anything',
      'Enable the one that does, which `hexforge plugins` lists, and try again',
    );
  return indexing;
}

export async function reindex(forge: Ports, path: string | undefined): Promise<IndexingState> {
  const indexing = searchIndexing(forge);
  await indexing.reindex(path);
  return indexing.state();
}

export async function resetPassword(forge: Ports, username: string): Promise<{ readonly password: string }> {
  // The port is declared by its area, which is loaded only if a plugin uses it.
  const recovery = traitsOf('AccountRecovery') === undefined ? undefined : forge.port('AccountRecovery');
  if (recovery === undefined)
    throw refusal(
      'no_accounts',
      'No enabled plugin keeps accounts',
      'Enable the one that does, which `hexforge plugins` lists, and try again',
    );
  return recovery.resetPassword(username);
}
