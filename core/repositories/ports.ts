// What this area asks of the world beside git: its store, and the parts its use cases are built from.
import type { Users } from '#core/identity/index';
import type { AuditLog } from '#core/kernel/audit';
import type { Log } from '#core/kernel/log';
import type { PermissionTable } from '#core/kernel/permissions';
import type { RateCounter } from '#core/kernel/rate';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Intents, Locks, UnitOfWork } from '#core/kernel/unit-of-work';
import type { GitBackend } from './git-backend.ts';
import type { PeopleCounts, PeopleStore } from './people.ts';
import type { ProtectionStore } from './protection.ts';
import type { Repository } from './repository.ts';
import type { Collaboration } from './roles.ts';

/** Who reads: decides in the query itself which rows there are. */
export type Reader =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'user'; readonly id: string; readonly isAdmin: boolean };

export interface Stood {
  readonly repository: Repository;
  /** The caller's, where they are a collaborator. */
  readonly collaboration: Collaboration | undefined;
  /** Where they were asked for. */
  readonly peopleCounts?: PeopleCounts;
}

export interface RepositoryFilter {
  readonly reader: Reader;
  /** Of this user only. */
  readonly ownerId?: string | undefined;
  /** Of the user of this name only, compared case-insensitively. */
  readonly owner?: string | undefined;
  /** Forks of this repository only. */
  readonly parentId?: string | undefined;
  readonly limit: number;
  /** How many to pass over. */
  readonly offset?: number;
}

export type RepositoryPatch = Partial<
  Pick<Repository, 'name' | 'description' | 'visibility' | 'defaultBranch' | 'issueCode'>
> &
  Pick<Repository, 'updatedAt'>;

/** A repository that waits to be pruned, as it was read. */
export interface PlannedPrune {
  readonly repositoryId: string;
  readonly pruneAt: Date;
  readonly updatedAt: Date;
}

/** The names of the unique constraints, as `Duplicate` carries them. */
export const uniques = {
  name: 'repositories_repository_owner_name',
  issueCode: 'repositories_repository_owner_issue_code',
  roleTemplate: 'repositories_role_template_name',
} as const;

export interface RepositoryStore extends PeopleStore {
  /**
   * By owner and name, case-insensitively, with the user's own collaborator row and, where `whole`, with what
   * `peopleCounts` tells; one query.
   */
  standing(owner: string, name: string, userId: string | undefined, whole?: boolean): Promise<Stood | undefined>;
  byId(id: string): Promise<Repository | undefined>;
  /** The id of the owner's repository of that name, compared case-insensitively. */
  idByName(ownerId: string, name: string): Promise<string | undefined>;
  /** What the reader may read, most recently updated first; one query. */
  list(filter: RepositoryFilter): Promise<readonly Repository[]>;
  /** How many each of these users owns; users with none may be missing. */
  countByOwner(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** @throws {Duplicate} naming one of `uniques`. Refuses an owner that does not exist. */
  insert(repository: Repository, parentId?: string): Promise<void>;
  /** Whether it was there. @throws {Duplicate} naming one of `uniques`. */
  update(id: string, patch: RepositoryPatch): Promise<boolean>;
  /** Sets when the repository is to be pruned, where nothing is planned. */
  planPrune(id: string, at: Date): Promise<void>;
  /**
   * What is planned for `now` or before, of repositories last updated before `idleSince`: the longest due first, in one
   * query.
   */
  duePrunes(due: {
    readonly now: Date;
    readonly idleSince: Date;
    readonly limit: number;
  }): Promise<readonly PlannedPrune[]>;
  /**
   * Plans anew, or nothing where `next` is undefined, if the plan is still the one seen and, where given, so is the
   * repository's time. Whether it was.
   */
  replanPrune(
    id: string,
    seen: { readonly pruneAt: Date; readonly updatedAt?: Date },
    next: Date | undefined,
  ): Promise<boolean>;
  /**
   * Whether it was there. Collaborators, role templates, stars and watchers go with it; forks stay, without a parent.
   */
  delete(id: string): Promise<boolean>;
}

/** What the use cases are built from; each names those it takes. */
export interface RepositoryParts {
  readonly store: RepositoryStore;
  readonly protections: ProtectionStore;
  readonly git: GitBackend;
  readonly rateCounter: RateCounter;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  readonly audit: AuditLog;
  readonly users: Users;
  readonly permissionTable: PermissionTable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
