// What the use cases of this area are built from.
import type { AccessDecision } from '#core/kernel/access';
import type { AuditLog } from '#core/kernel/audit';
import type { Log } from '#core/kernel/log';
import type { Rows } from '#core/kernel/rows';
import type { Clock, Ids } from '#core/kernel/time';
import type { Events, Intents, Locks, UnitOfWork } from '#core/kernel/unit-of-work';
import type { Users } from '#core/identity/index';
import type { Planning } from '#core/planning/index';
import type { GitBackend, MergeHeads, Merging, Repositories } from '#core/repositories/index';
import type { MergeComment } from './comment.ts';
import type { DiffSettings } from './diff.ts';
import type { PipelineVerdicts } from './pipeline-verdicts.ts';
import type { MergeStore } from './ports.ts';
import type { MergeReview } from './review.ts';

/** What the use cases are built from; each names those it takes. */
export interface MergeParts {
  readonly store: MergeStore;
  /** Asked for and given. */
  readonly reviews: Rows<MergeReview>;
  readonly comments: Rows<MergeComment>;
  readonly git: GitBackend;
  readonly diffs: DiffSettings;
  /** Keeps what requests offer, in their target. */
  readonly heads: MergeHeads;
  readonly merging: Merging;
  readonly repositories: Repositories;
  readonly users: Users;
  /** Labels and milestones, where there are any. */
  readonly planning: Planning | undefined;
  readonly pipelines: PipelineVerdicts | undefined;
  /** Whether the caller may push to the fork that a request comes from. */
  readonly access: AccessDecision;
  readonly unitOfWork: UnitOfWork;
  readonly events: Events;
  readonly intents: Intents;
  readonly locks: Locks;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Of the instance, for addresses that are made up. */
  readonly host: string;
}
