// What the use cases of this area are built from.
import type { Rows } from '#core/kernel/rows';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/unit-of-work';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { MilestoneCounts } from './offers.ts';

/** What the use cases are built from; each names those it takes. */
export interface PlanningParts {
  readonly labels: Rows<Label>;
  readonly milestones: Rows<Milestone>;
  readonly counters: () => readonly MilestoneCounts[];
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly ids: Ids;
}
