// The role table: permissions that plugins contribute, each with the least role that has it.
import { declarePort } from './ports.ts';

/** One permission of the role table: `from` is the least role that has it; `owner` is above every role. */
export interface PermissionDeclaration {
  readonly name: string;
  readonly from: 'read' | 'triage' | 'write' | 'maintain' | 'admin' | 'owner';
}

/** What the enabled plugins contributed, in the order of the configuration. Provided by the host. */
export interface PermissionTable {
  readonly declarations: () => readonly PermissionDeclaration[];
}

declare module './ports.ts' {
  interface Ports {
    PermissionTable: PermissionTable;
  }
}

declarePort('PermissionTable', { arity: 'single', component: 'permission table', critical: true, absent: 'refuse' });
