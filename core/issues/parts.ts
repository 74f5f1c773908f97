// What the use cases of this area are built from.
import type { Users } from '#core/identity/index';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/unit-of-work';
import type { IssueStore } from './ports.ts';

/** What the use cases are built from; each names those it takes. */
export interface IssueParts {
  readonly store: IssueStore;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly users: Users;
  readonly clock: Clock;
  readonly ids: Ids;
}
