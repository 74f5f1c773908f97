// Decides which changes of a merge request the caller may make, so that pages offer nothing that is refused.
import { knownRequest, type Reading } from '../model/held-request.ts';
import type { MergeParts } from '../model/parts.ts';
import { mayDeleteSource } from '../merging/delete-source.ts';
import { canPushToSource } from './update-request.ts';

export interface MergeStanding {
  /** Whether the members can be changed: by the author and holders of merge.update. */
  readonly change: boolean;
  /** Whether it can be closed and reopened, also by users who can push to a source in another repository. */
  readonly close: boolean;
  /** Whether comments and reviews can be written. */
  readonly comment: boolean;
  readonly merge: boolean;
  readonly deleteSource: boolean;
}

const nothing: MergeStanding = { change: false, close: false, comment: false, merge: false, deleteSource: false };

/** @throws {NotFound} */
export const mergeStanding =
  (parts: Pick<MergeParts, 'store' | 'access' | 'repositories' | 'git'>) =>
  async (granted: Reading, { number }: { readonly number: number }): Promise<MergeStanding> => {
    const { resource, call } = granted;
    const request = await knownRequest(parts, resource, number);
    const { caller } = call;
    if (caller.kind !== 'user') return nothing;
    const change = request.authorId === caller.id || granted.may('merge.update');
    const state = request.state === 'open' ? 'closed' : 'open';
    return {
      change,
      close: request.state !== 'merged' && (change || (await canPushToSource(parts, granted, request, { state }))),
      comment: granted.may('repo.write'),
      merge: granted.may('merge.merge'),
      deleteSource: await mayDeleteSource(parts, granted, request),
    };
  };
