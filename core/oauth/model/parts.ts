// The dependencies of the use cases of this area.
import type { Users, Vouching } from '#core/identity/index';
import type { AdminGrants } from '#core/kernel/access/admin-grants';
import type { AuditLog } from '#core/kernel/services/audit';
import type { AuditTrail } from '#core/kernel/services/audit-trail';
import type { AccountStanding, Sealer } from '#core/kernel/access/credentials';
import type { Log } from '#core/kernel/services/log';
import type { RateCounter } from '#core/kernel/rate';
import type { ScopeCatalogue } from '#core/kernel/access/scopes';
import type { Settings } from '#core/kernel/services/settings';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Rows } from '#core/kernel/storage/rows';
import type { ClientStore, Digests, GrantStore, IssuedStore, KeptKey, TokenSigner } from './ports.ts';

/** Stores of this area, ports of the kernel and of identity, and cryptography. */
export interface OAuthParts {
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly issued: IssuedStore;
  readonly keys: Rows<KeptKey>;
  readonly digests: Digests;
  readonly signer: TokenSigner;
  readonly sealer: Sealer;
  readonly users: Users;
  readonly vouching: Vouching;
  readonly standing: () => AccountStanding | undefined;
  readonly adminGrants: () => AdminGrants | undefined;
  readonly trail: () => AuditTrail | undefined;
  readonly scopes: ScopeCatalogue;
  readonly settings: Settings;
  readonly rateCounter: RateCounter;
  readonly audit: AuditLog;
  readonly events: Events;
  readonly locks: Locks;
  readonly log: Log;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The external URLs of the API and of the web pages, without a trailing slash. */
  readonly baseUrl: string;
  readonly webUrl: string;
}
