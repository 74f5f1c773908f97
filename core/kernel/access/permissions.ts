// The role table: the permissions that plugins contribute, each with the lowest role that includes it.
import { declarePort } from '../ports.ts';

/** One permission of the role table. `from` is the lowest role that includes it; `owner` is above every role. */
export interface PermissionDeclaration {
  readonly name: string;
  readonly from: 'read' | 'triage' | 'write' | 'maintain' | 'admin' | 'owner';
}

/** The permissions contributed by enabled plugins, in the order of the configuration. Provided by the host. */
export interface PermissionTable {
  readonly declarations: () => readonly PermissionDeclaration[];
}

declare module '../ports.ts' {
  interface Ports {
    PermissionTable: PermissionTable;
  }
}

declarePort('PermissionTable', { arity: 'single', component: 'permission table', critical: true, absent: 'refuse' });
