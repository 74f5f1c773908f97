// The instance's secret keys: configured, or in files of the data directory that are each created exactly once.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRing } from '#adapters/crypto/sealer';
import { createOnce, removeDrafts } from './atomic-files.ts';
import { refusal } from '../problems/problem.ts';

export const secretKeyName = 'secret.key';

/**
 * The files are `secret.key`, and after rotations `secret.key.2`, `secret.key.3` and so on. The highest number seals;
 * the others open what they sealed. Two concurrent rotations create only one file, so that no used key is lost.
 */
export class SecretKeys implements KeyRing {
  readonly #dataDir: string;
  readonly #configured: readonly Uint8Array[] | undefined;
  #keys: readonly Uint8Array[] = [];
  /** Number to key, so that a known key stays the same object. */
  readonly #known = new Map<number, Uint8Array>();

  /** @throws {Refused} if a file is damaged or other users may read it. */
  constructor(dataDir: string, configured: readonly Uint8Array[] | undefined) {
    this.#dataDir = dataDir;
    this.#configured = configured;
    // Only writes if no key exists. If another process creates the key first, that key is used.
    if (configured === undefined && this.#numbers().length === 0) this.#create(1);
    this.reload();
    // A killed start may have left drafts of a key file.
    if (configured === undefined) for (const number of this.#numbers()) removeDrafts(this.#path(number));
  }

  /** Whether the keys come from the configuration; key files are then ignored. */
  get configured(): boolean {
    return this.#configured !== undefined;
  }

  all(): readonly Uint8Array[] {
    return this.#configured ?? this.#keys;
  }

  reload(): void {
    if (this.#configured !== undefined) return;
    this.#keys = this.#numbers().map((number) => {
      const key = this.#known.get(number) ?? read(this.#path(number));
      this.#known.set(number, key);
      return key;
    });
  }

  /** Makes a new key, which seals from now. The earlier keys are kept, to open what they sealed. */
  rotate(): void {
    if (this.#configured !== undefined) throw new Error('the configuration has the keys');
    this.#create((this.#numbers()[0] ?? 0) + 1);
    this.reload();
  }

  #create(number: number): void {
    createOnce(this.#path(number), `${randomBytes(32).toString('base64')}\n`);
  }

  #path(number: number): string {
    return join(this.#dataDir, number === 1 ? secretKeyName : `${secretKeyName}.${number}`);
  }

  /** The numbers of the key files, highest first. */
  #numbers(): readonly number[] {
    return readdirSync(this.#dataDir)
      .flatMap((name) => {
        const [, number = '1'] = /^secret\.key(?:\.([1-9]\d{0,5}))?$/.exec(name) ?? [undefined, '0'];
        return number === '0' ? [] : [Number(number)];
      })
      .sort((a, b) => b - a);
  }
}

function read(path: string): Uint8Array {
  if ((statSync(path).mode & 0o077) !== 0) {
    throw refusal('secret_key_exposed', `Others may read the key file ${path}`, `Run chmod 600 ${path}`);
  }
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64');
  if (key.length === 32) return key;
  throw refusal(
    'secret_key_damaged',
    `The key file ${path} does not hold 32 bytes in base64`,
    'Restore it from a backup: without it sealed secrets are lost',
  );
}
