// Rotates the instance's secret key: makes a new key, and seals all stored secrets again with it.
import type { SealedRecords } from '#core/kernel/access/credentials';
import type { Container } from '../boot/container.ts';
import type { SecretKeys } from '../storage/secret-key.ts';

/** The result of a rotation. */
export interface Rotation {
  /** False if the keys are configured; then the first configured key is used, and no key is made. */
  readonly made: boolean;
  readonly resealed: readonly { readonly what: string; readonly count: number }[];
}

/**
 * If the rotation is interrupted, everything stays readable: earlier keys are kept, and open the secrets that were not
 * sealed again.
 */
export async function rotateKey(forge: Pick<Container, 'port'>, keys: SecretKeys): Promise<Rotation> {
  const made = !keys.configured;
  if (made) keys.rotate();
  const resealed: { what: string; count: number }[] = [];
  for (const records of forge.port('SealedRecords') satisfies readonly SealedRecords[])
    resealed.push({ what: records.what, count: await records.reseal() });
  return { made, resealed };
}
