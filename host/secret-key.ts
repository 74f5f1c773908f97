// The instance's secret key: configured, or in a file of the data directory that is created exactly once.
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createOnce } from './atomic-files.ts';
import { Refused } from './problem.ts';

export const secretKeyName = 'secret.key';

/** 32 bytes. Several processes on one data directory get the same ones. @throws {Refused} */
export function secretKey(dataDir: string, configured: Uint8Array | undefined): Uint8Array {
  if (configured !== undefined) return configured;
  const path = join(dataDir, secretKeyName);
  // Reading first keeps a restart from writing; losing the race to create is as good as winning it.
  const text = read(path) ?? (createOnce(path, `${randomBytes(32).toString('base64')}\n`), read(path));
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Refused([
      { code: 'secret_key_exposed', message: `Others may read the key file ${path}`, remedy: `Run chmod 600 ${path}` },
    ]);
  }
  const key = Buffer.from(text ?? '', 'base64');
  if (key.length === 32) return key;
  throw new Refused([
    {
      code: 'secret_key_damaged',
      message: `The key file ${path} does not hold 32 bytes in base64`,
      remedy: 'Restore it from a backup: without it sealed secrets are lost',
    },
  ]);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
