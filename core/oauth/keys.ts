// The signing keys of ID tokens: made when first needed, rotated by age, published while what they signed is good.
import { randomBase62, secondsAfter } from '#core/identity/index';
import type { SealedRecords } from '#core/kernel/credentials';
import type { OAuthParts } from './parts.ts';
import type { KeptKey, PublicJwk } from './ports.ts';

/** How old a key may be that signs, in days. */
export const keyDays = 30;
/** How long a key is published after another one took its place: longer than any ID token lives, in seconds. */
const overlapSeconds = 2 * 86_400;
const lock = 'oauth.signing-keys';

type Parts = Pick<OAuthParts, 'keys' | 'signer' | 'sealer' | 'locks' | 'unitOfWork' | 'ids'>;

export function signingKeys({ keys, signer, sealer, locks, unitOfWork, ids }: Parts) {
  /** The newest first. */
  const kept = (): Promise<readonly KeptKey[]> => keys.find({ where: {}, orderBy: [{ desc: 'createdAt' }, 'id'] });

  const add = async (now: Date): Promise<KeptKey> => {
    const id = randomBase62(ids, 16);
    const { publicJwk, privateKey } = await signer.generate(id);
    const key = { id, publicJwk, sealed: sealer.seal(privateKey, about(id)), createdAt: now };
    await unitOfWork.run(() => keys.insert(key));
    return key;
  };

  const openOf = ({ id, sealed }: KeptKey): Uint8Array => sealer.open(sealed, about(id));
  /** Undefined where that is not due, or the instance has no key that opens it: whoever signs with it hears so. */
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
    /** @returns what signs claims with the key of now, which is read and opened. Not for use inside a unit of work. */
    async signing(now: Date) {
      const key = await newest(now);
      const opened = { kid: key.id, privateKey: openOf(key) };
      return (claims: Readonly<Record<string, unknown>>): Promise<string> => signer.sign(opened, claims);
    },

    /** Those by which a signature may be checked now. */
    async published(now: Date): Promise<readonly PublicJwk[]> {
      await newest(now);
      return (await kept()).map(({ publicJwk }) => publicJwk);
    },

    /**
     * Removes what is published no longer, and puts a new key in the place of one that is too old.
     * @param always whether the one that signs is replaced however old it is.
     * @returns the one that signs, undefined where none was ever needed.
     */
    rotate: (now: Date, always = false): Promise<{ readonly kid: string } | undefined> =>
      locks.exclusive(lock, async () => {
        const all = await kept();
        const [current] = all;
        if (current === undefined) return always ? { kid: (await add(now)).id } : undefined;
        const due = always || secondsAfter(current.createdAt, keyDays * 86_400) <= now;
        // A key was replaced when the next newer one was made.
        for (const [index, { createdAt }] of all.entries()) {
          const replaced = all[index + 1];
          if (replaced !== undefined && secondsAfter(createdAt, overlapSeconds) <= now)
            await unitOfWork.run(() => keys.delete({ id: replaced.id }));
        }
        return { kid: due ? (await add(now)).id : current.id };
      }),

    /** Under the instance's newest key, after it was rotated. */
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
/** The signing keys. */
export type SigningKeys = ReturnType<typeof signingKeys>;

/** What it is sealed as, so that a key moved to another row does not open there. */
function about(id: string): string {
  return `oauth2-signing-key ${id}`;
}
