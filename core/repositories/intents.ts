// Intents of this area: what is written ahead of a change to directories and refs. The subject of each is the
// repository's id.
import { inTurn } from '#core/kernel/in-turn';
import type { Locks } from '#core/kernel/unit-of-work';
import type { RefUpdate } from './git-backend.ts';

export interface PushDetail {
  /** The id of the user who pushes. */
  readonly actor: string;
  readonly updates: readonly RefUpdate[];
}

/** A commit of a merge request that is being brought: the ref that stands for it meanwhile. */
export interface BringDetail {
  readonly ref: string;
}

export interface IntentDetails {
  'repositories.create': Record<never, never>;
  'repositories.delete': Record<never, never>;
  'repositories.default-branch': Record<never, never>;
  'repositories.push': PushDetail;
  'repositories.bring': BringDetail;
}
export type IntentKind = keyof IntentDetails;

export const intentKinds = [
  'repositories.create',
  'repositories.delete',
  'repositories.default-branch',
  'repositories.push',
  'repositories.bring',
] as const satisfies readonly IntentKind[];

/** Whoever changes a repository's default branch does so here, for the record and git's HEAD change in two steps. */
export const defaultBranchAlone = <T>(locks: Locks, repositoryId: string, work: () => Promise<T>): Promise<T> =>
  inTurn({ locks, name: `repositories.default-branch:${repositoryId}` }, work);
