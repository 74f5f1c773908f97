// The port that reads the audit entries of one resource, for administrators of such resources.
import type { AuditEntry } from './audit.ts';
import type { Page, PageRequest } from '../page.ts';
import { declarePort } from '../ports.ts';

/** A stored entry. */
export type TrailEntry = Omit<AuditEntry, 'action'> & {
  /** Ids increase in the order of writing. */
  readonly id: number;
  /** May belong to a plugin that is no longer installed. */
  readonly action: string;
};

/** The port that reads the audit entries of one resource. */
export interface AuditTrail {
  /** One page of entries, newest first. @param resource the full name, `type:id`. */
  about(resource: string, page: PageRequest): Promise<Page<TrailEntry>>;
}

declare module '../ports.ts' {
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
