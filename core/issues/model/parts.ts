// The dependencies of the use cases of this area.
import type { Users } from '#core/identity/index';
import type { AccessDecision } from '#core/kernel/access/access';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Rows } from '#core/kernel/storage/rows';
import type { Events, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Ids } from '#core/kernel/time';
import type { Planning } from '#core/planning/index';
import type { Repositories } from '#core/repositories/index';
import type { AssociationStore } from './associations.ts';
import type { IssueComment } from './comment.ts';
import type { DescriptionEdit } from './description-edit.ts';
import type { IssueType } from './issue-type.ts';
import type { LinkStore } from './link.ts';
import type { Component, Version } from './named.ts';
import type { IssueSearchStore, IssueStore, TypeSchemeStore } from './ports.ts';

/** The dependencies of all use cases. Each use case picks those it needs. */
export interface IssueParts {
  readonly store: IssueStore;
  readonly searches: IssueSearchStore;
  readonly types: Rows<IssueType>;
  readonly schemes: TypeSchemeStore;
  readonly components: Rows<Component>;
  readonly versions: Rows<Version>;
  readonly associations: AssociationStore;
  readonly comments: Rows<IssueComment>;
  /** The history of descriptions. */
  readonly edits: Rows<DescriptionEdit>;
  readonly links: LinkStore;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly audit: AuditLog;
  /** Decides access for callers of the port `Issues`. */
  readonly access: AccessDecision;
  readonly repositories: Repositories;
  readonly users: Users;
  /** Labels and milestones. Undefined if the plugin "planning" is disabled. */
  readonly planning: Planning | undefined;
  readonly ids: Ids;
}
