// The events about labels and milestones. The aggregate is `repository:ID`.
import type { EventType } from '#core/kernel/storage/events';

/** The payload of events about a label or a milestone. */
export interface PlanningFact {
  readonly repository_id: string;
  /** The id of the label or milestone. */
  readonly id: string;
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'label.created': PlanningFact;
    'label.updated': PlanningFact;
    /** Emitted when a label is deleted by itself, not when its repository is deleted. */
    'label.deleted': PlanningFact;
    'milestone.created': PlanningFact;
    'milestone.updated': PlanningFact;
    /** Emitted under the same condition as `label.deleted`. */
    'milestone.deleted': PlanningFact;
  }
}

/** The event types that the plugin of this area emits. */
export const planningEvents = [
  'label.created',
  'label.updated',
  'label.deleted',
  'milestone.created',
  'milestone.updated',
  'milestone.deleted',
] as const satisfies readonly EventType[];
