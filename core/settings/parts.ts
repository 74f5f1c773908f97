// The dependencies of the use cases of this area.
import type { Sealer } from '#core/kernel/access/credentials';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { SettingCatalogue } from '#core/kernel/services/settings';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Clock } from '#core/kernel/time';
import type { SettingStore } from './ports.ts';

/** The store of this area, and ports of the kernel. */
export interface SettingsParts {
  readonly store: SettingStore;
  readonly sealer: Sealer;
  readonly catalogue: SettingCatalogue;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
}
