// Authenticates presented credentials: token readers by prefix, password checks, and the authenticator that uses both.
import type { Credential, User } from '../caller.ts';
import { Unauthorized } from '../errors.ts';
import { declarePort } from '../ports.ts';

type Account = Omit<User, 'credential'>;
type TokenOwner = Account & { readonly credential: Omit<Credential, 'via'> };

/** The user that a presented credential proved. */
export type Proved<U> = U & {
  /**
   * The current state of the user at a later time, if nothing that the proof depends on has changed; undefined if the
   * credential must be checked again. Called repeatedly during a request, so it computes no password hash. Absent: the
   * credential is always checked again.
   */
  readonly unchanged?: (now: Date) => Promise<U | undefined>;
};

/** Reads one kind of token. Provided by the plugin that issues it. */
export interface CredentialReader {
  /** The prefix of such tokens. The longest matching prefix is used, so `svc_oat_` is preferred to `svc_`. */
  readonly prefix: string;
  /**
   * Undefined for a token that is malformed, unknown, expired, revoked or of a suspended user. From an external plugin
   * only `id` and `credential` are used: the rest is read from the account, and an account that may not sign in is
   * rejected.
   */
  read(token: string, now: Date): Promise<Proved<TokenOwner> | undefined>;
}

/** Checks a password against the account, then against the directories. Provided by the plugin that stores accounts. */
export interface PasswordSignIn {
  /**
   * Undefined if the pair is wrong or the name is unknown, after the same amount of work.
   * @throws {Forbidden} if the account may not sign in. @throws {RateLimited} after too many wrong passwords.
   * @throws {Unavailable} if a directory could not answer.
   */
  prove(
    username: string,
    password: string,
    from: { readonly ip: string; readonly now: Date },
  ): Promise<Proved<Account> | undefined>;
}

/** Returns the current state of an account. Provided by the plugin that stores accounts. */
export interface AccountStanding {
  /** Undefined if no account has this id, or if its user may not sign in. */
  of(userId: string): Promise<Account | undefined>;
}

/** The tokens of a session, as a browser keeps them in cookies. */
export interface PageSession {
  /** Authenticates like any token of the session, for a short time. */
  readonly accessToken: string;
  /** Only renews the session, on pages. */
  readonly pageToken: string;
  /** In seconds: `accessSeconds` of the access token, `refreshSeconds` of the page token. */
  readonly lifetimes: { readonly accessSeconds: number; readonly refreshSeconds: number };
}

/** Keeps browsers signed in on pages. Provided by the plugin that stores accounts. */
export interface PageSessions {
  /**
   * Extends the session of a page token, and issues new tokens of it. The given page token stays valid, so that pages
   * opened at the same time can all use it.
   * @returns undefined if the token is not valid, or its session has ended, or its user may not sign in.
   */
  renew(pageToken: string, now: Date): Promise<PageSession | undefined>;
}

/** The credential that a request carried. */
export type Presented =
  | { readonly via: 'bearer'; readonly token: string }
  | { readonly via: 'cookie'; readonly token: string }
  | { readonly via: 'basic'; readonly username: string; readonly password: string };

/** The port that authenticates a presented credential. */
export interface Authenticator {
  /**
   * Returns the user of a presented credential.
   * A Basic password is tried as a token first. It is tried as a password only if `passwords` is given (git over HTTP).
   * `passwords` is awaited before the check, because a check computes a hash, and may reject.
   * @throws {Unauthorized} if the credential is not valid.
   */
  authenticate(
    presented: Presented,
    context: { readonly ip: string; readonly now: Date; readonly passwords?: () => Promise<void> },
  ): Promise<User>;
  /**
   * Authenticates again later in the same request and returns the current state of the user.
   * @param user the result of `authenticate`.
   * @throws {Unauthorized | Forbidden} if the credential is no longer valid.
   */
  renew(
    user: User,
    presented: Presented,
    context: { readonly ip: string; readonly now: Date; readonly passwords?: () => Promise<void> },
  ): Promise<User>;
}

/** Both methods are expensive. Their slots are shared fairly by `ip`, the address of the client. */
export interface PasswordHasher {
  /** Returns a self-describing string: algorithm, parameters, salt, hash. */
  hash(password: string, ip?: string): Promise<string>;
  /** Takes the same time for an undefined hash, so that response times do not reveal which users exist. */
  verify(password: string, hash: string | undefined, ip?: string): Promise<boolean>;
  /** Whether a hash was made with outdated parameters. It is replaced at the next successful sign-in. */
  outdated(hash: string): boolean;
}

/**
 * Encrypts small secrets for storage (AES-256-GCM, newest key of the instance) and derives keys from the oldest key.
 */
export interface Sealer {
  /** @param about the context of the secret, such as the key of a setting. `open` needs the same context. */
  seal(plain: Uint8Array, about?: string): string;
  /** @throws {Internal} if the key is missing, the context differs, or the text was altered. */
  open(sealed: string, about?: string): Uint8Array;
  /**
   * Whether it was sealed under a key from before the last rotation, or in an older format. `open` still accepts it.
   */
  outdated(sealed: string): boolean;
  /** A 32-byte key for one purpose, the same in every process and after every restart (HKDF-SHA-256). */
  derive(purpose: string): Uint8Array;
}

/** Stored records that can be sealed again. Provided by each plugin that stores sealed records. */
export interface SealedRecords {
  /** A name for log lines, such as "settings". */
  readonly what: string;
  /**
   * Seals again, under the newest key, every record for which `Sealer.outdated` returns true. If it is interrupted, all
   * records stay readable.
   * @returns the number of records sealed again.
   */
  reseal(): Promise<number>;
}

declare module '../ports.ts' {
  interface Ports {
    Authenticator: Authenticator;
    PasswordHasher: PasswordHasher;
    Sealer: Sealer;
  }
  interface OptionalPorts {
    AccountStanding: AccountStanding;
    PageSessions: PageSessions;
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

declarePort('PageSessions', {
  arity: 'optional',
  component: 'sessions of pages (plugin "identity")',
  critical: false,
  absent: 'degraded',
  methods: ['renew'],
});

/** Builds the authenticator. The getters are called on each use, because providers are added while plugins start. */
export function authenticator(parts: {
  readonly readers: () => readonly CredentialReader[];
  readonly passwordSignIn: () => PasswordSignIn | undefined;
}): Authenticator {
  /** User → the function that checks whether the proof is still valid. */
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
        // OAuth2 tokens are accepted in the Bearer header, and as a Basic password from git only. Cookies carry
        // sessions only.
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
