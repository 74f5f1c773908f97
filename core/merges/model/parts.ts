// The dependencies of the use cases of this area.
import type { AccessDecision } from '#core/kernel/access/access';
import type { AuditLog } from '#core/kernel/services/audit';
import type { Log } from '#core/kernel/services/log';
import type { Rows } from '#core/kernel/storage/rows';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Intents, Locks, UnitOfWork } from '#core/kernel/storage/unit-of-work';
import type { Users } from '#core/identity/index';
import type { Planning } from '#core/planning/index';
import type { GitBackend, MergeHeads, Merging, Repositories } from '#core/repositories/index';
import type { MergeComment } from './comment.ts';
import type { DiffSettings } from './diff.ts';
import type { PipelineVerdicts } from './pipeline-verdicts.ts';
import type { MergeRequest } from './merge-request.ts';
import type { MergeStore } from './ports.ts';
import type { MergeReview } from './review.ts';

/** Applies pushes whose events were not handled yet. */
export interface Settling {
  /**
   * Applies the pushes of the source and the target of a request. Waits a limited time, and never rejects because of a
   * push.
   * @returns whether the request may have changed since it was read: here, or because an event was handled meanwhile.
   */
  request(request: MergeRequest, signal: AbortSignal): Promise<boolean>;
  /**
   * Reads a page of the requests of a repository after it applied pushes to them, and to other open requests into the
   * branches that moved.
   * @param read reads the page; the first member has its requests.
   */
  list<T extends readonly [readonly MergeRequest[], ...unknown[]]>(
    repositoryId: string,
    read: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

/** The dependencies of all use cases. Each use case picks those it needs. */
export interface MergeParts {
  readonly store: MergeStore;
  /** Pending and submitted reviews. */
  readonly reviews: Rows<MergeReview>;
  readonly comments: Rows<MergeComment>;
  readonly git: GitBackend;
  readonly diffs: DiffSettings;
  /** Keeps the commits of requests in the target repository. */
  readonly heads: MergeHeads;
  readonly merging: Merging;
  readonly repositories: Repositories;
  readonly users: Users;
  /** Labels and milestones. Undefined if the plugin "planning" is disabled. */
  readonly planning: Planning | undefined;
  readonly pipelines: PipelineVerdicts | undefined;
  readonly settling: Settling;
  /**
   * Decides whether the caller can push to the fork that a request comes from, and access for callers of the port
   * `MergeRequests`.
   */
  readonly access: AccessDecision;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The host name of the instance, for generated addresses. */
  readonly host: string;
}
