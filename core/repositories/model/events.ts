// The events about repositories. The aggregate is `repository:ID`.
import type { AuditAction } from '#core/kernel/services/audit';
import type { Call, Caller } from '#core/kernel/caller';
import type { EventType } from '#core/kernel/storage/events';
import { declareAccessEvents } from '#core/kernel/storage/live';
import type { Oid } from '../git/git-backend.ts';
import type { Repository, Visibility } from './repository.ts';

/** The payload of events about a repository. */
export interface RepositoryFact {
  readonly repository_id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly visibility: Visibility;
}

/** The payload of events about a collaborator. */
export interface CollaboratorFact {
  readonly repository_id: string;
  readonly user_id: string;
  readonly role: string;
}

/** The payload of events about a role template. */
export interface RoleTemplateFact {
  readonly repository_id: string;
  readonly role_template_id: string;
  readonly name: string;
}

/** The payload of events about stars and watches, which a user sets for themselves. */
export interface MarkFact {
  readonly repository_id: string;
  readonly user_id: string;
}

declare module '#core/kernel/storage/events' {
  interface EventPayloads {
    'repository.created': RepositoryFact;
    /**
     * The record changed; `changed` lists the names of its members. Also emitted together with the two following, more
     * precise events.
     */
    'repository.updated': RepositoryFact & { readonly changed: readonly string[] };
    'repository.renamed': RepositoryFact & { readonly old_name: string };
    'repository.visibility_changed': RepositoryFact & { readonly old_visibility: Visibility };
    'repository.deleted': RepositoryFact;
    /** About the fork. Emitted in addition to its `repository.created`. */
    'repository.forked': RepositoryFact & { readonly parent_id: string };
    'repository.starred': MarkFact;
    'repository.unstarred': MarkFact;
    'repository.watched': MarkFact;
    'repository.unwatched': MarkFact;
    'collaborator.added': CollaboratorFact;
    'collaborator.updated': CollaboratorFact & { readonly old_role: string };
    /** `role` is the role that the collaborator had. */
    'collaborator.removed': CollaboratorFact;
    'role_template.created': RoleTemplateFact;
    'role_template.updated': RoleTemplateFact;
    'role_template.deleted': RoleTemplateFact;
    /**
     * A branch was deleted, by a push or over REST. Emitted in addition to the `push` event. `old` is its last commit.
     */
    'branch.deleted': {
      readonly repository_id: string;
      readonly branch: string;
      readonly old: Oid;
      readonly actor: string;
    };
    'branch.protection_changed': {
      readonly repository_id: string;
      readonly branch: string;
      readonly protected: boolean;
    };
    /** One ref moved. An absent value is forty zeros. `actor` is the id of the user who pushed. */
    push: {
      readonly repository_id: string;
      readonly ref: string;
      readonly old: Oid;
      readonly new: Oid;
      readonly actor: string;
    };
  }
}

/** The actions of this area that the audit log records. docs/api/audit.md lists when each is recorded. */
declare module '#core/kernel/services/audit' {
  interface AuditActions {
    'repository.created': true;
    'repository.renamed': true;
    'repository.visibility_changed': true;
    'repository.deleted': true;
    'repository.setting_updated': true;
    'collaborator.added': true;
    'collaborator.updated': true;
    'collaborator.removed': true;
    'role_template.created': true;
    'role_template.updated': true;
    'role_template.deleted': true;
    'branch.protected': true;
    'branch.unprotected': true;
    'branch.deleted': true;
    'tag.deleted': true;
    'ref.deleted': true;
  }
}

/** The event types that the plugin of this area emits. */
export const repositoryEvents = [
  'repository.created',
  'repository.updated',
  'repository.renamed',
  'repository.visibility_changed',
  'repository.deleted',
  'repository.forked',
  'repository.starred',
  'repository.unstarred',
  'repository.watched',
  'repository.unwatched',
  'collaborator.added',
  'collaborator.updated',
  'collaborator.removed',
  'role_template.created',
  'role_template.updated',
  'role_template.deleted',
  'branch.deleted',
  'branch.protection_changed',
  'push',
] as const satisfies readonly EventType[];

declareAccessEvents(
  'repository.renamed',
  'repository.visibility_changed',
  'repository.deleted',
  'collaborator.updated',
  'collaborator.removed',
);

/** The aggregate of events about a repository. */
export const aggregateOf = (repositoryId: string): string => `repository:${repositoryId}`;

/** The payload of events about this repository. */
export const factOf = ({ id, ownerId, name, visibility }: Repository): RepositoryFact => ({
  repository_id: id,
  owner_id: ownerId,
  name,
  visibility,
});

/** The aggregate and actor of an event about a repository. */
export const aboutRepository = ({ id }: Pick<Repository, 'id'>, { caller }: Call<Caller>) => ({
  aggregate: aggregateOf(id),
  ...(caller.kind === 'user' && { actorId: caller.id }),
});

/**
 * An event about a collaborator, without its type.
 * @param more further members of the payload.
 */
export const aboutCollaborator = <More extends object>(
  repository: Repository,
  user: { readonly id: string },
  call: Call<Caller>,
  more = {} as More,
) => ({
  ...aboutRepository(repository, call),
  payload: { repository_id: repository.id, user_id: user.id, ...more },
});

/** The audit actions that the plugin of this area appends. */
export const repositoryAudits = [
  'repository.created',
  'repository.renamed',
  'repository.visibility_changed',
  'repository.deleted',
  'repository.setting_updated',
  'collaborator.added',
  'collaborator.updated',
  'collaborator.removed',
  'role_template.created',
  'role_template.updated',
  'role_template.deleted',
  'branch.protected',
  'branch.unprotected',
  'branch.deleted',
  'tag.deleted',
  'ref.deleted',
] as const satisfies readonly AuditAction[];
