// The ports of this area: one that it implements, and one that other areas implement for it.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { Repository } from '#core/repositories/index';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';

/** Labels and milestones for issues and merge requests. Undefined if the plugin is disabled. */
export interface Planning {
  /** Labels of one repository by id. Unknown ids are missing in the result. */
  labels(repositoryId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Label>>;
  /** Milestones of one repository by id. Unknown ids are missing in the result. */
  milestones(repositoryId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Milestone>>;
  /**
   * The labels with these names, compared case-insensitively, without duplicates and sorted by name. Unknown names are
   * missing in the result.
   */
  labelsNamed(repositoryId: string, names: readonly string[]): Promise<readonly Label[]>;
  /** All labels by name, and all milestones by due date, to choose from. */
  ofRepository(repositoryId: string): Promise<{
    readonly labels: readonly Label[];
    readonly milestones: readonly Milestone[];
  }>;
  /**
   * Returns the labels to attach, without duplicates and sorted by name. Runs inside the caller's unit of work, at most
   * once, and prevents their deletion until it ends. Must be called after the row that gets the labels is written,
   * because deleting a repository locks the repository before its labels.
   * @param wanted.inline are found by name, or created if missing.
   * @throws {ValidationFailed} naming unknown ids.
   * @throws {Forbidden} if inline labels are requested without `label.create`.
   * @throws {Unprocessable} if the repository already has the maximum number of labels.
   */
  attach(
    granted: Granted<Repository, string, User>,
    wanted: {
      readonly ids: readonly string[];
      readonly inline?: readonly { readonly name: string; readonly color: string }[] | undefined;
    },
  ): Promise<readonly Label[]>;
  /**
   * Returns the milestone. Runs inside the caller's unit of work, and prevents its deletion until that ends.
   * @throws {ValidationFailed} if the milestone does not exist.
   */
  hold(repositoryId: string, milestoneId: string): Promise<Milestone>;
}

/** An issue of a milestone, as its page lists it. */
export interface MilestoneIssue {
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'closed';
}

/** Pages of a plugin whose issues have labels and milestones, to which the pages of planning link. */
export interface IssuePages {
  /** The pages beside those of planning, as paths below that of the repository. */
  readonly beside: readonly { readonly title: string; readonly path: string }[];
  /** The path of the page of one issue. */
  issue(number: number): string;
  /** The path of the list of issues with a label, by its name, or a milestone, by its id. */
  list(filter: { readonly label: string } | { readonly milestone: string }): string;
  /** The open ones first, then the newest; undefined for callers who may not read issues. */
  ofMilestone(
    granted: Granted<Repository, 'repo.read'>,
    milestoneId: string,
    limit: number,
  ): Promise<readonly MilestoneIssue[] | undefined>;
}

/** Counts the issues of milestones of one repository. The counts of several providers are added. */
export interface MilestoneCounts {
  /** Absent if the plugin has no pages. */
  readonly pages?: IssuePages;
  counts(
    repositoryId: string,
    milestoneIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly open: number; readonly closed: number }>>;
}

declare module '#core/kernel/ports' {
  interface OptionalPorts {
    Planning: Planning;
  }
  interface PluralPorts {
    MilestoneCounts: MilestoneCounts;
  }
}

declarePort('Planning', {
  arity: 'optional',
  component: 'labels and milestones (plugin "planning")',
  critical: false,
  absent: 'degraded',
});
declarePort('MilestoneCounts', {
  arity: 'plural',
  component: 'counts of milestones',
  critical: false,
  absent: 'degraded',
});
