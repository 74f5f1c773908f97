// The dependencies of the use cases of this area.
import type { Users } from '#core/identity/index';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { PermissionTable } from '#core/kernel/access/permissions';
import type { RateCounter } from '#core/kernel/rate';
import type { SettingCatalogue, Settings } from '#core/kernel/services/settings';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Intents, Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { CollaboratorStore } from './collaborator.ts';
import type { GitBackend } from '../git/git-backend.ts';
import type { MarkStore } from './mark.ts';
import type { ProtectionStore } from './protection.ts';
import type { RepositoryStore } from './ports.ts';
import type { Brought } from './brought.ts';
import type { Rows } from '#core/kernel/storage/rows';
import type { RoleTemplateStore } from './role-template.ts';
import type { RepositorySettingStore } from './setting.ts';

/** The dependencies of all use cases. Each use case picks those it needs. */
export interface RepositoryParts {
  readonly store: RepositoryStore;
  readonly brought: Rows<Brought>;
  readonly collaborators: CollaboratorStore;
  readonly roleTemplates: RoleTemplateStore;
  readonly marks: MarkStore;
  readonly protections: ProtectionStore;
  readonly git: GitBackend;
  readonly rateCounter: RateCounter;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  readonly audit: AuditLog;
  readonly users: Users;
  readonly settings: Settings;
  readonly repositorySettings: RepositorySettingStore;
  readonly repositorySettingCatalogue: SettingCatalogue<string>;
  readonly permissionTable: PermissionTable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
