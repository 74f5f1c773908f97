// The head of a closed merge request from another repository is kept again before the request is open, because its
// commits may have been pruned.
import type { Call } from '#core/kernel/caller';
import type { Oid } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import { isLetGo, type MergeRequest } from '../model/merge-request.ts';
import { sourceLossDetails, sourceLossNow } from '../model/source-access.ts';
import { keepFrom, noneWhereGone, withHead, type HeadParts } from './heads.ts';
import { reopeningRefused } from './merge-rules.ts';

export interface Reopening {
  /** Whether the caller can push to the source, so that the request follows it again. */
  readonly canPush: boolean;
  readonly call: Pick<Call, 'caller' | 'signal'>;
}

/**
 * Runs `work`, which reopens the request, while its head is kept. If the request is closed afterwards, its commits are
 * let go again.
 * @param work gets the commit that is the head of the open request: another one if its own was pruned.
 * @throws {Conflict} `source_branch_missing` or `source_access_lost` if the head was pruned and cannot be copied again;
 * {Unprocessable} `quota_exceeded`.
 */
export const whileHeadIsKept = <T>(
  parts: HeadParts,
  known: MergeRequest,
  reopening: Reopening,
  work: (head: Oid) => Promise<T>,
): Promise<T> =>
  withHead(parts, known, reopening.call.signal, async () => {
    const read = async () => parts.store.find(known.repositoryId, known.number);
    const request = (await read()) ?? known;
    if (!isLetGo(request)) return work(request.headOid);
    try {
      return await work(await keptHead(parts, request, reopening));
    } catch (error) {
      await letGoAgain(parts, await read().catch(() => undefined));
      throw error;
    }
  });

/** @returns the commit that the ref of the request points to. */
async function keptHead(
  parts: HeadParts,
  request: MergeRequest,
  { canPush, call: { caller, signal } }: Reopening,
): Promise<Oid> {
  const { repositoryId, sourceRepositoryId: fork, sourceBranch, headOid } = request;
  if ((await keepFrom(parts, request, repositoryId, headOid, { caller, signal })) === 'kept') return headOid;
  const loss = canPush ? undefined : await sourceLossNow(parts, request);
  if (loss !== undefined) throw reopeningRefused({ code: 'source_access_lost', detail: sourceLossDetails[loss] });
  const tip = fork === undefined ? undefined : await branchTip(parts.git, fork, sourceBranch).catch(noneWhereGone);
  if (fork !== undefined && tip !== undefined)
    if ((await keepFrom(parts, request, fork, tip, { caller, signal })) === 'kept') return tip;
  const detail = `Its commits were removed, and "${sourceBranch}" is not where it was; push it, or open another request`;
  throw reopeningRefused({ code: 'source_branch_missing', detail });
}

async function letGoAgain({ heads, log }: HeadParts, request: MergeRequest | undefined): Promise<void> {
  if (request === undefined || !isLetGo(request)) return;
  const { repositoryId, number, id } = request;
  await heads.letGo(repositoryId, number, id).catch((error: unknown) => {
    log.warn({ repository: repositoryId, number, err: error }, 'the head of a closed merge request is still kept');
  });
}
