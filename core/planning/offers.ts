// What this area offers to others, and what it asks of them.
import type { Granted } from '#core/kernel/access';
import type { User } from '#core/kernel/caller';
import { declarePort } from '#core/kernel/ports';
import type { Repository } from '#core/repositories/index';
import type { Label } from './label.ts';
import type { Milestone } from './milestone.ts';

/** Labels and milestones for what carries them: issues, merge requests. Absent where the plugin is off. */
export interface Planning {
  /** A batch by id, of one repository; unknown ids are missing. */
  labels(repositoryId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Label>>;
  /** A batch by id, of one repository; unknown ids are missing. */
  milestones(repositoryId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Milestone>>;
  /** The labels of those names, compared case-insensitively, each once and by name; what has no label is missing. */
  labelsNamed(repositoryId: string, names: readonly string[]): Promise<readonly Label[]>;
  /**
   * Inside the caller's unit of work, once: the labels to attach, each once and by name, none of which is deleted until
   * it ends. Called after the row that carries them is written, for a repository that is being deleted goes before its
   * labels.
   * @param wanted.inline are reused by name, or made (document B, `inline_labels`).
   * @throws {ValidationFailed} naming unknown ids.
   * @throws {Forbidden} where labels are wanted inline without `label.create`.
   * @throws {Unprocessable} where the repository has no room for one more.
   */
  attach(
    granted: Granted<Repository, string, User>,
    wanted: {
      readonly ids: readonly string[];
      readonly inline?: readonly { readonly name: string; readonly color: string }[] | undefined;
    },
  ): Promise<readonly Label[]>;
  /**
   * Inside the caller's unit of work: the milestone, which is not deleted until it ends.
   * @throws {ValidationFailed} where it is unknown.
   */
  hold(repositoryId: string, milestoneId: string): Promise<Milestone>;
}

/** Counts the issues of milestones, a batch of one repository at a time; what several count is added up. */
export interface MilestoneCounts {
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
