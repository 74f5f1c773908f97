// How a presented credential becomes a caller: readers by token prefix, the check of passwords, and the authenticator
// over both.
import type { Credential, User } from './caller.ts';
import { Unauthorized } from './errors.ts';
import { declarePort } from './ports.ts';

type Account = Omit<User, 'credential'>;
type TokenOwner = Account & { readonly credential: Omit<Credential, 'via'> };

/** Who something that was presented proved to be. */
export type Proved<U> = U & {
  /**
   * The user as they are at a later moment, where nothing has changed that the proof rests on; undefined where what was
   * presented has to be checked again. It is called again and again while a request lasts, so it computes no hash.
   * Absent: always checked again.
   */
  readonly unchanged?: (now: Date) => Promise<U | undefined>;
};

/** Reads one kind of token. Provided by the plugin that issues it. */
export interface CredentialReader {
  /** What such a token starts with. The longest matching prefix decides, so `svc_oat_` goes before `svc_`. */
  readonly prefix: string;
  /**
   * Undefined for a token that is malformed, unknown, expired, revoked or of a suspended user. Of a plugin from outside
   * `id` and `credential` count: the rest is told by the account, and one that may not sign in has no good token.
   */
  read(token: string, now: Date): Promise<Proved<TokenOwner> | undefined>;
}

/** Checks the password of an account, its own first and then the directories'. Provided by whoever keeps accounts. */
export interface PasswordSignIn {
  /**
   * Undefined where the pair is wrong or the name is unknown, after the same work.
   * @throws {Forbidden} for an account that may not sign in. @throws {RateLimited} after too many wrong ones.
   * @throws {Unavailable} where a directory could not tell.
   */
  prove(
    username: string,
    password: string,
    from: { readonly ip: string; readonly now: Date },
  ): Promise<Proved<Account> | undefined>;
}

/** Says what an account is now. Provided by whoever keeps accounts. */
export interface AccountStanding {
  /** Undefined where there is none of this id, or its holder may not sign in. */
  of(userId: string): Promise<Account | undefined>;
}

/** What a request carried. */
export type Presented =
  | { readonly via: 'bearer'; readonly token: string }
  | { readonly via: 'cookie'; readonly token: string }
  | { readonly via: 'basic'; readonly username: string; readonly password: string };

/** The port that makes a user of a presented credential. */
export interface Authenticator {
  /**
   * The user behind a presented credential.
   * A Basic password is tried as a token first; as a password only with `passwords` (git over HTTP, document D), which
   * is awaited before any is checked, for a check costs a hash, and may refuse.
   * @throws {Unauthorized} where it is not good.
   */
  authenticate(
    presented: Presented,
    context: { readonly ip: string; readonly now: Date; readonly passwords?: () => Promise<void> },
  ): Promise<User>;
  /**
   * The same later on: the user as they are now, where the credential that proved them still does.
   * @param user as `authenticate` gave it.
   * @throws {Unauthorized | Forbidden} where it is not good any more.
   */
  renew(
    user: User,
    presented: Presented,
    context: { readonly ip: string; readonly now: Date; readonly passwords?: () => Promise<void> },
  ): Promise<User>;
}

/** Both are dear: `ip`, the client's address, is by whom the places are shared where many come at once. */
export interface PasswordHasher {
  /** A self-describing string: algorithm, parameters, salt, hash. */
  hash(password: string, ip?: string): Promise<string>;
  /** Verifies in the same time for an undefined hash, so that an unknown user costs as much as a known one. */
  verify(password: string, hash: string | undefined, ip?: string): Promise<boolean>;
  /**
   * Whether a hash was made with other parameters than today's, so that it is renewed when the password is next known.
   */
  outdated(hash: string): boolean;
}

/** Seals small secrets at rest (AES-256-GCM under the instance's newest key) and derives keys from its oldest. */
export interface Sealer {
  /** @param about what the secret is of, such as the key of a setting: it is opened as that alone. */
  seal(plain: Uint8Array, about?: string): string;
  /** @throws {Internal} where it was sealed under a key that is not there, about something else, or altered. */
  open(sealed: string, about?: string): Uint8Array;
  /** Whether it was sealed under a key from before the last rotation, or in an older form: it is still opened. */
  outdated(sealed: string): boolean;
  /** A 32-byte key for one purpose, the same on every process and after every restart (HKDF-SHA-256). */
  derive(purpose: string): Uint8Array;
}

/** Sealed things at rest that can be sealed again. Provided by whoever keeps some. */
export interface SealedRecords {
  /** In words: "settings". */
  readonly what: string;
  /**
   * Seals again, under the newest key, all that `Sealer.outdated` says to be; whatever cuts it short, all stays
   * readable.
   * @returns how many.
   */
  reseal(): Promise<number>;
}

declare module './ports.ts' {
  interface Ports {
    Authenticator: Authenticator;
    PasswordHasher: PasswordHasher;
    Sealer: Sealer;
  }
  interface OptionalPorts {
    AccountStanding: AccountStanding;
    PasswordSignIn: PasswordSignIn;
  }
  interface PluralPorts {
    CredentialReader: CredentialReader;
    SealedRecords: SealedRecords;
  }
}

declarePort('Authenticator', { arity: 'single', component: 'authenticator', critical: true, absent: 'refuse' });
declarePort('PasswordHasher', {
  arity: 'single',
  component: 'password hasher',
  critical: true,
  absent: 'refuse',
  methods: ['hash', 'verify', 'outdated'],
});
declarePort('Sealer', {
  arity: 'single',
  component: 'sealer',
  critical: true,
  absent: 'refuse',
  methods: ['seal', 'open', 'outdated', 'derive'],
});
declarePort('SealedRecords', {
  arity: 'plural',
  component: 'sealed records',
  critical: false,
  absent: 'degraded',
  methods: ['reseal'],
});
declarePort('CredentialReader', {
  arity: 'plural',
  component: 'credential reader',
  critical: true,
  absent: 'degraded',
  methods: ['read'],
});
declarePort('PasswordSignIn', {
  arity: 'optional',
  component: 'sign-in with passwords (plugin "identity")',
  critical: true,
  absent: 'degraded',
  methods: ['prove'],
});

declarePort('AccountStanding', {
  arity: 'optional',
  component: 'standing of accounts (plugin "identity")',
  critical: true,
  absent: 'degraded',
  methods: ['of'],
});

/**
 * The authenticator over what plugins provide. The getters are read per call, for the providers arrive with the
 * plugins.
 */
export function authenticator(parts: {
  readonly readers: () => readonly CredentialReader[];
  readonly passwordSignIn: () => PasswordSignIn | undefined;
}): Authenticator {
  /** How to ask for a user again. */
  const proofs = new WeakMap<User, (now: Date) => Promise<User | undefined>>();
  const proved = <U extends Account>({ unchanged, ...found }: Proved<U>, userOf: (found: U) => User): User => {
    const user = userOf(found as unknown as U);
    if (unchanged !== undefined)
      proofs.set(user, async (now) => {
        const same = await unchanged(now);
        return same && userOf(same);
      });
    return user;
  };
  const byToken = async (token: string, via: Credential['via'], now: Date): Promise<User | undefined> => {
    const reader = parts
      .readers()
      .filter(({ prefix }) => token.startsWith(prefix))
      .sort((a, b) => b.prefix.length - a.prefix.length)[0];
    const found = await reader?.read(token, now);
    return found && proved<TokenOwner>(found, (owner) => ({ ...owner, credential: { ...owner.credential, via } }));
  };
  const byPassword = (account: Account): User => ({
    ...account,
    credential: { kind: 'password', id: account.id, scopes: 'all', via: 'basic' },
  });
  const door: Authenticator = {
    async authenticate(presented, { ip, now, passwords }) {
      const token = presented.via === 'basic' ? presented.password : presented.token;
      const user = await byToken(token, presented.via, now);
      if (user !== undefined) {
        // An application holds its token in a header: as a Basic password git alone sends it (document D, "Git over
        // HTTP"), and a cookie holds sessions.
        const misplaced = presented.via === 'cookie' || (presented.via === 'basic' && passwords === undefined);
        if (user.credential.kind !== 'oauth' || !misplaced) return user;
        throw new Unauthorized('The credential is not valid', {
          detail: 'Send an OAuth2 token as "Authorization: Bearer TOKEN"',
        });
      }
      if (presented.via === 'basic' && passwords !== undefined) {
        await passwords();
        const known = await parts.passwordSignIn()?.prove(presented.username, presented.password, { ip, now });
        if (known !== undefined) return proved<Account>(known, byPassword);
      }
      throw new Unauthorized('The credential is not valid');
    },

    async renew(user, presented, context) {
      const same = await proofs.get(user)?.(context.now);
      const found = same ?? (await door.authenticate(presented, context));
      if (found.id !== user.id) throw new Unauthorized('The credential is not valid');
      return found;
    },
  };
  return door;
}
