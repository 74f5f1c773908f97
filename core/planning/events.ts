// What happens to labels and milestones, as others hear of it; the aggregate is `repository:ID`.
import type { EventType } from '#core/kernel/events';

/** What events about a label or a milestone tell of it. */
export interface PlanningFact {
  readonly repository_id: string;
  /** Of the label or the milestone. */
  readonly id: string;
}

declare module '#core/kernel/events' {
  interface EventPayloads {
    'label.created': PlanningFact;
    'label.updated': PlanningFact;
    /** Comes for each label that is deleted by itself, not for those that go with their repository. */
    'label.deleted': PlanningFact;
    'milestone.created': PlanningFact;
    'milestone.updated': PlanningFact;
    /** As that of a label. */
    'milestone.deleted': PlanningFact;
  }
}

/** What the plugin of this area emits. */
export const planningEvents = [
  'label.created',
  'label.updated',
  'label.deleted',
  'milestone.created',
  'milestone.updated',
  'milestone.deleted',
] as const satisfies readonly EventType[];
