// The dependencies of the use cases of this area.
import type { Rows } from '#core/kernel/storage/rows';
import type { Ids } from '#core/kernel/time';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';
import type { MilestoneCounts } from './offers.ts';

/** The dependencies of all use cases. Each use case picks those it needs. */
export interface PlanningParts {
  readonly labels: Rows<Label>;
  readonly milestones: Rows<Milestone>;
  readonly counters: () => readonly MilestoneCounts[];
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly ids: Ids;
}
