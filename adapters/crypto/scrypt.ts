// Password hashing with scrypt (RFC 7914) at OWASP's parameters; hashes are self-describing strings.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { PasswordHasher } from '#core/kernel/access/credentials';
import { Unavailable } from '#core/kernel/errors';
import { FairLimiter } from '#core/kernel/limits/fair-limiter';
import { clientNetwork } from '#core/kernel/access/current-caller';

/** A hash uses 128 × 2^logN × blockSize bytes of memory. */
export interface ScryptCost {
  readonly logN: number;
  readonly blockSize: number;
  readonly parallel: number;
}

export interface ScryptOptions {
  readonly cost?: ScryptCost;
  /**
   * How many hashes are computed at the same time. Each one uses the memory of the cost and one of the four libuv
   * threads, which file access, gzip and signatures also need. Default: the number of processors, at most 2.
   */
  readonly concurrent?: number;
  /** How many calls may be queued, of all clients together. Queuing is fair by client network. Default 256. */
  readonly waiting?: number;
}

/**
 * The OWASP Password Storage Cheat Sheet, "scrypt", lists N=2^17 p=1 to N=2^13 p=10 as equivalent. This choice takes 16
 * MiB per hash, so two concurrent sign-ins stay within 32 MiB.
 */
export const owaspCost: ScryptCost = { logN: 14, blockSize: 8, parallel: 5 };

const saltBytes = 16;
const hashBytes = 32;
const encoded = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43})$/;

export function scryptHasher(options: ScryptOptions = {}): PasswordHasher {
  const cost = options.cost ?? owaspCost;
  const hashes = new FairLimiter({
    slots: options.concurrent ?? Math.min(2, availableParallelism()),
    queue: options.waiting ?? 256,
    now: () => performance.now(),
    refusal: () =>
      new Unavailable('Too many requests wait for a password check', { detail: 'Try again in a few seconds' }),
  });
  const derive = (
    password: string,
    salt: Buffer,
    { logN, blockSize, parallel }: ScryptCost,
    ip = '',
  ): Promise<Buffer> =>
    hashes.run(
      () =>
        new Promise((resolve, reject) => {
          const N = 2 ** logN;
          scrypt(
            password,
            salt,
            hashBytes,
            { N, r: blockSize, p: parallel, maxmem: 2 * 128 * N * blockSize + 128 * blockSize * parallel },
            (error, key) => (error === null ? resolve(key) : reject(error)),
          );
        }),
      clientNetwork(ip),
    );
  const unknownSalt = randomBytes(saltBytes);

  return {
    async hash(password, ip) {
      const salt = randomBytes(saltBytes);
      const key = await derive(password, salt, cost, ip);
      return `$scrypt$ln=${cost.logN},r=${cost.blockSize},p=${cost.parallel}$${unpadded(salt)}$${unpadded(key)}`;
    },
    async verify(password, hash, ip) {
      const known = hash === undefined ? undefined : parse(hash);
      const key = await derive(password, known?.salt ?? unknownSalt, known?.cost ?? cost, ip);
      return known !== undefined && timingSafeEqual(key, known.key);
    },
    outdated(hash) {
      const known = parse(hash)?.cost;
      return known?.logN !== cost.logN || known.blockSize !== cost.blockSize || known.parallel !== cost.parallel;
    },
  } satisfies PasswordHasher;
}

function parse(hash: string): { readonly cost: ScryptCost; readonly salt: Buffer; readonly key: Buffer } | undefined {
  const [, logN, blockSize, parallel, salt, key] = encoded.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return undefined;
  return {
    cost: { logN: Number(logN), blockSize: Number(blockSize), parallel: Number(parallel) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
