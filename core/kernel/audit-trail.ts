// What the audit log knows of one thing, for whoever administers such things.
import type { AuditEntry } from './audit.ts';
import type { Page, PageRequest } from './page.ts';
import { declarePort } from './ports.ts';

/** An entry as it was written. */
export type TrailEntry = Omit<AuditEntry, 'action'> & {
  /** In the order of writing. */
  readonly id: number;
  /** Of a plugin that is gone by now, too. */
  readonly action: string;
};

/** The port that reads what was written of one thing. */
export interface AuditTrail {
  /** The latest first. @param resource whole: `type:id`. */
  about(resource: string, page: PageRequest): Promise<Page<TrailEntry>>;
}

declare module './ports.ts' {
  interface OptionalPorts {
    AuditTrail: AuditTrail;
  }
}

declarePort('AuditTrail', {
  arity: 'optional',
  component: 'audit log (plugin "audit")',
  critical: false,
  absent: 'unavailable',
  methods: ['about'],
});
