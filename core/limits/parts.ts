// The dependencies of the use cases of this area.
import type { UserGroups, Users } from '#core/identity/index';
import type { MeteredTargets } from '#core/kernel/rate';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Clock, Ids } from '#core/kernel/time';
import type { BudgetStore, OverrideStore, ViolationStore } from './ports.ts';
import type { RulesInEffect } from './rules-in-effect.ts';

/** The stores of this area, and ports of the kernel and of identity. */
export interface LimitParts {
  readonly enabled: boolean;
  readonly budgets: BudgetStore;
  readonly overrides: OverrideStore;
  readonly violations: ViolationStore;
  readonly users: Users;
  readonly groups: UserGroups | undefined;
  /** Called on each use, because providers may start later. */
  readonly targets: () => readonly MeteredTargets[];
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** The dependencies of the use cases that read and change rules. */
export type RuleParts = LimitParts & { readonly rules: RulesInEffect };
