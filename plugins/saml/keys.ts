// The key pairs of this instance: made when they are first needed, once for all processes, and stored sealed.
import type { Locks, Rows, SealedRecords, Sealer, UnitOfWork } from 'hexforge/plugin';
import { makeSamlKeys, type SamlKeys } from '#adapters/saml/index';
import type { KeyRow } from './tables.ts';

/** One pair for encrypted assertions and one for signed requests, because a key should have one purpose. */
const purposes = ['encryption', 'signing'] as const;
type Purpose = (typeof purposes)[number];

const lock = 'saml.keys';
/** The context under which a key is sealed. */
const about = (id: string): string => `saml-key ${id}`;

interface Parts {
  readonly keys: Rows<KeyRow>;
  readonly sealer: Sealer;
  readonly locks: Locks;
  readonly unitOfWork: UnitOfWork;
}

export function samlKeys({ keys, sealer, locks, unitOfWork }: Parts) {
  const stored = (id: Purpose): Promise<KeyRow | undefined> => keys.findOne({ id });

  const make = async (id: Purpose, now: Date): Promise<KeyRow> => {
    const { certificate, privateKey } = await makeSamlKeys(`Hexforge SAML ${id}`, now);
    const sealed = sealer.seal(new TextEncoder().encode(privateKey), about(id));
    return unitOfWork.run(() => keys.insert({ id, certificate, sealed, createdAt: now }));
  };

  const current = async (id: Purpose, now: Date): Promise<SamlKeys> => {
    const { certificate, sealed } =
      (await stored(id)) ?? (await locks.exclusive(lock, async () => (await stored(id)) ?? (await make(id, now))));
    return { certificate, privateKey: new TextDecoder().decode(sealer.open(sealed, about(id))) };
  };

  /** Empty if the key need not be resealed or cannot be opened. In the latter case its use fails. */
  const renewed = ({ id, sealed }: KeyRow): readonly { readonly id: string; readonly sealed: string }[] => {
    if (!sealer.outdated(sealed)) return [];
    try {
      return [{ id, sealed: sealer.seal(sealer.open(sealed, about(id)), about(id)) }];
    } catch {
      return [];
    }
  };

  return {
    /** Not for use inside a unit of work. */
    current: async (now: Date): Promise<Readonly<Record<Purpose, SamlKeys>>> => ({
      encryption: await current('encryption', now),
      signing: await current('signing', now),
    }),

    sealed: {
      what: 'keys of SAML',
      reseal: () =>
        locks.exclusive(lock, async () => {
          const due = (await keys.find({ where: {}, orderBy: ['id'] })).flatMap((key) => renewed(key));
          for (const { id, sealed } of due) await unitOfWork.run(() => keys.update({ id }, { sealed }));
          return due.length;
        }),
    } satisfies SealedRecords,
  };
}
export type SamlKeyPairs = Awaited<ReturnType<ReturnType<typeof samlKeys>['current']>>;
