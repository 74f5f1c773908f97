// What the use cases of this area are built from.
import type { Events, UnitOfWork } from '#core/kernel/unit-of-work';
import type { Ids } from '#core/kernel/time';
import type { Planning } from '#core/planning/index';
import type { Repositories } from '#core/repositories/index';
import type { IssueStore, IssueTypeStore } from './ports.ts';

/** What the use cases are built from; each names those it takes. */
export interface IssueParts {
  readonly store: IssueStore;
  readonly types: IssueTypeStore;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly repositories: Repositories;
  /** Labels and milestones, where there are any. */
  readonly planning: Planning | undefined;
  readonly ids: Ids;
}
