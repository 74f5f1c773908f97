// The dependencies of the use cases of this area.
import type { AccessDecision } from '#core/kernel/access/access';
import type { AdminGrants } from '#core/kernel/access/admin-grants';
import type { PasswordHasher, Sealer } from '#core/kernel/access/credentials';
import type { CurrentCaller } from '#core/kernel/access/current-caller';
import type { PasswordDirectories } from '#core/kernel/access/password-directories';
import type { ScopeCatalogue } from '#core/kernel/access/scopes';
import type { SignInFlow } from '#core/kernel/access/sign-in-flows';
import type { RateCounter } from '#core/kernel/rate';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { Settings } from '#core/kernel/services/settings';
import type { Events, Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Clock, Ids } from '#core/kernel/time';
import type { IssuedCredentials, UserReferences } from './offers.ts';
import type {
  AccountStore,
  ExternalIdentityStore,
  GroupStore,
  SessionStore,
  SessionTokens,
  TokenHasher,
  TokenStore,
} from './ports.ts';
import type { SessionLifetimes } from './session.ts';

/** The stores of this area, kernel ports and cryptography. */
export interface IdentityParts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly groups: GroupStore;
  readonly identities: ExternalIdentityStore;
  readonly sessionTokens: SessionTokens;
  /** Tokens that keep browsers signed in on pages. Neither kind is accepted as the other. */
  readonly pageTokens: SessionTokens;
  readonly tokenHasher: TokenHasher;
  readonly passwordHasher: PasswordHasher;
  readonly directories: PasswordDirectories;
  /** Time limit of one directory, in seconds. */
  readonly directorySeconds: number;
  /** Called on each use, because the plugins that provide them need this area. */
  readonly signInFlows: () => readonly SignInFlow[];
  /** Seals what browsers keep during a sign-in by redirect. */
  readonly sealer: Sealer;
  readonly lifetimes: SessionLifetimes;
  readonly rateCounter: RateCounter;
  readonly settings: Settings;
  readonly scopes: ScopeCatalogue;
  /** Rechecks access after a password hash, which may have waited for a slot. */
  readonly access: Pick<AccessDecision, 'renew'>;
  readonly currentCaller: CurrentCaller;
  /** Called on each use, because areas may be added later. */
  readonly adminGrants: () => AdminGrants | undefined;
  readonly references: () => readonly UserReferences[];
  readonly issued: () => readonly IssuedCredentials[];
  readonly audit: AuditLog;
  readonly events: Events;
  readonly unitOfWork: UnitOfWork;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
