// A rotation of the instance's secret key: a new one seals from now on, and all that is sealed is sealed again.
import type { SealedRecords } from '#core/kernel/credentials';
import type { Forge } from './serve.ts';
import type { SecretKeys } from './secret-key.ts';

/** What was sealed again. */
export interface Rotation {
  /** False where the configuration has the keys: its first one seals, and was not made here. */
  readonly made: boolean;
  readonly resealed: readonly { readonly what: string; readonly count: number }[];
}

/**
 * Whatever of it is cut short, everything stays readable: the keys before stay, and what was not sealed again is opened
 * under them.
 */
export async function rotateKey(forge: Pick<Forge, 'port'>, keys: SecretKeys): Promise<Rotation> {
  const made = !keys.configured;
  if (made) keys.rotate();
  const resealed: { what: string; count: number }[] = [];
  for (const records of forge.port('SealedRecords') satisfies readonly SealedRecords[])
    resealed.push({ what: records.what, count: await records.reseal() });
  return { made, resealed };
}
