// The intents of this area, which are committed before directories or refs change. The subject of each is the
// repository's id.
import { withLock } from '#core/kernel/storage/with-lock';
import type { Locks } from '#core/kernel/storage/unit-of-work';
import type { RefUpdate } from '../git/git-backend.ts';

export interface PushDetail {
  /** The id of the user who pushes. */
  readonly actor: string;
  readonly updates: readonly RefUpdate[];
}

/** A commit of a merge request that is being copied, and the temporary ref that points to it meanwhile. */
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

/**
 * Every change of a repository's default branch runs under this lock, because the record and git's HEAD change in two
 * steps.
 */
export const defaultBranchAlone = <T>(locks: Locks, repositoryId: string, work: () => Promise<T>): Promise<T> =>
  withLock({ locks, name: `repositories.default-branch:${repositoryId}` }, work);
