// Signing keys of ID tokens: generated on first use, rotated by age, and published while their signatures are valid.
import { randomBase62, secondsAfter } from '#core/identity/index';
import type { SealedRecords } from '#core/kernel/access/credentials';
import type { OAuthParts } from '../model/parts.ts';
import type { KeptKey, PublicJwk } from '../model/ports.ts';

/** Maximum age of the signing key in days. */
export const keyDays = 30;
/** How long a replaced key stays published, in seconds. Longer than the lifetime of any ID token. */
const overlapSeconds = 2 * 86_400;
const lock = 'oauth.signing-keys';

type Parts = Pick<OAuthParts, 'keys' | 'signer' | 'sealer' | 'locks' | 'unitOfWork' | 'ids'>;

export function signingKeys({ keys, signer, sealer, locks, unitOfWork, ids }: Parts) {
  /** Newest first. */
  const kept = (): Promise<readonly KeptKey[]> => keys.find({ where: {}, orderBy: [{ desc: 'createdAt' }, 'id'] });

  const add = async (now: Date): Promise<KeptKey> => {
    const id = randomBase62(ids, 16);
    const { publicJwk, privateKey } = await signer.generate(id);
    const key = { id, publicJwk, sealed: sealer.seal(privateKey, about(id)), createdAt: now };
    await unitOfWork.run(() => keys.insert(key));
    return key;
  };

  const openOf = ({ id, sealed }: KeptKey): Uint8Array => sealer.open(sealed, about(id));
  /** Undefined if the key need not be resealed or cannot be opened. In the latter case signing with it fails. */
  const renewed = (key: KeptKey): string | undefined => {
    if (!sealer.outdated(key.sealed)) return undefined;
    try {
      return sealer.seal(openOf(key), about(key.id));
    } catch {
      return undefined;
    }
  };

  const newest = async (now: Date): Promise<KeptKey> =>
    (await kept())[0] ?? (await locks.exclusive(lock, async () => (await kept())[0] ?? (await add(now))));

  return {
    /** @returns a function that signs claims with the current key. Not for use inside a unit of work. */
    async signing(now: Date) {
      const key = await newest(now);
      const opened = { kid: key.id, privateKey: openOf(key) };
      return (claims: Readonly<Record<string, unknown>>): Promise<string> => signer.sign(opened, claims);
    },

    /** The public keys by which current signatures can be verified. */
    async published(now: Date): Promise<readonly PublicJwk[]> {
      await newest(now);
      return (await kept()).map(({ publicJwk }) => publicJwk);
    },

    /**
     * Deletes keys whose publication period is over, and adds a new key if the signing key is too old.
     * @param always whether to replace the signing key regardless of its age.
     * @returns the id of the signing key; undefined if no key was ever needed.
     */
    rotate: (now: Date, always = false): Promise<{ readonly kid: string } | undefined> =>
      locks.exclusive(lock, async () => {
        const all = await kept();
        const [current] = all;
        if (current === undefined) return always ? { kid: (await add(now)).id } : undefined;
        const due = always || secondsAfter(current.createdAt, keyDays * 86_400) <= now;
        // A key was replaced when the next newer one was created.
        for (const [index, { createdAt }] of all.entries()) {
          const replaced = all[index + 1];
          if (replaced !== undefined && secondsAfter(createdAt, overlapSeconds) <= now)
            await unitOfWork.run(() => keys.delete({ id: replaced.id }));
        }
        return { kid: due ? (await add(now)).id : current.id };
      }),

    /** Reseals the keys after the instance's secret key was rotated. */
    sealed: {
      what: 'signing keys',
      reseal: () =>
        locks.exclusive(lock, async () => {
          const due = (await kept()).flatMap((key) => {
            const sealed = renewed(key);
            return sealed === undefined ? [] : [{ id: key.id, sealed }];
          });
          for (const { id, sealed } of due) await unitOfWork.run(() => keys.update({ id }, { sealed }));
          return due.length;
        }),
    } satisfies SealedRecords,
  };
}
/** The functions of the signing keys. */
export type SigningKeys = ReturnType<typeof signingKeys>;

/** The context under which a key is sealed, so that it cannot be opened from another row. */
const about = (id: string): string => `oauth2-signing-key ${id}`;
