// Merges a request: checks the rules, merges in git, records the merge, and deletes the source branch if requested.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, HexforgeError, TimedOut, Unavailable } from '#core/kernel/errors';
import { withLock } from '#core/kernel/storage/with-lock';
import type { Merged, MergeStrategy, Repository } from '#core/repositories/index';
import { followSource } from './heads.ts';
import { knownRequest, settledRequest } from '../model/held-request.ts';
import { deleteBranchOf } from './delete-source.ts';
import { messageOf, peopleOf, type MergePeople } from './merge-commit.ts';
import type { MergeFacts, MergeIntents } from './merge-intents.ts';
import { checkHead } from '../model/check-head.ts';
import type { MergeRequest, MergeView } from '../model/merge-request.ts';
import { blocked, conflictRule, outlookOf } from './merge-rules.ts';
import { loseSource } from './lose-source.ts';
import type { MergeParts } from '../model/parts.ts';
import { viewAfterChange } from '../model/view.ts';

export interface MergeCommand {
  readonly number: number;
  readonly strategy: MergeStrategy;
  /** Absent: a message that names the branches, or for a squash the title and description of the request. */
  readonly message?: string | undefined;
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
  readonly deleteSourceBranch: boolean;
  /** The head that the caller looked at. Absent: any head is merged. */
  readonly sha?: string | undefined;
}

type Parts = MergeParts & { readonly mergeIntents: MergeIntents };
type MergeGranted = Granted<Repository, 'merge.merge', User>;

/** The time limits of a merge. */
export interface MergeTimes {
  /** The longest wait for other merges into the same branch. */
  readonly waitMs: number;
  /** The longest time to retry if the target keeps moving. */
  readonly tryMs: number;
}

const usual: MergeTimes = { waitMs: 60_000, tryMs: 60_000 };
const retryAfterSeconds = 10;

/** @throws {NotFound | ValidationFailed | Conflict | Forbidden | Unprocessable | Unavailable | TimedOut} */
export const mergeRequest =
  (parts: Parts, { waitMs, tryMs } = usual) =>
  async (granted: MergeGranted, command: MergeCommand): Promise<MergeView> => {
    const { clock, locks, users, host } = parts;
    const { resource: repository, call } = granted;
    const { targetBranch } = await knownRequest(parts, repository, command.number);
    const people = peopleOf(call.caller, await users.email(call.caller.id), host, command);
    // Merges into the same branch run one after another. If they ran concurrently, all but one would fail because the
    // target moved.
    const alone = async (): Promise<MergeRequest> => {
      const until = clock.now().getTime() + tryMs;
      for (;;) {
        if (call.signal.aborted) throw canceled();
        if (clock.now().getTime() > until) throw movesTooFast(targetBranch);
        const done = await attempt(parts, granted, command, people);
        if (done !== undefined) return done;
      }
    };
    const name = `merges.merge:${repository.id}:${targetBranch}`;
    const busy = busyWith(targetBranch);
    const merged = await withLock({ locks, name, signal: call.signal, waitMs, busy }, alone).catch((error: unknown) => {
      throw call.signal.aborted && error === call.signal.reason ? canceled(error) : error;
    });
    if (command.deleteSourceBranch) await deleteSource(parts, granted, merged);
    return await viewAfterChange(parts, repository, call, command);
  };

/** Undefined if the target moved during the attempt. */
async function attempt(
  parts: Parts,
  granted: MergeGranted,
  { number, strategy, message, sha }: MergeCommand,
  people: MergePeople,
): Promise<MergeRequest | undefined> {
  const { resource: repository, call } = granted;
  const { caller, signal } = call;
  const before = await settledRequest(parts, repository, number, signal);
  const request = await followSource(parts, before, { actorId: caller.id, signal });
  const [rule] = (await outlookOf(parts, repository, request)).rules;
  if (rule?.code === 'source_access_lost') await loseSource(parts, request);
  if (request.state === 'open') checkHead(request, sha, { reason: 'head_changed' });
  if (rule !== undefined) throw blocked(rule);
  const { targetBranch, headOid: head } = request;
  const facts: MergeFacts = { number, actor: caller.id, targetBranch, head };
  const bracket = parts.mergeIntents.bracket(repository.id, facts);
  const date = parts.clock.now();
  const change = {
    branch: targetBranch,
    source: head,
    strategy,
    message: messageOf(message, strategy, repository, request),
    author: { ...people.author, date },
    committer: { ...people.committer, date },
  };
  let merged: Merged | undefined;
  let failure: unknown;
  try {
    merged = await parts.merging.merge(granted, change, {
      ...bracket.hooks,
      allowed: () => checkStill(parts, repository, facts),
    });
  } catch (error) {
    failure = error;
  }
  // If the target has the merge, it is merged, even if the call of git failed.
  if (await bracket.conclude().catch(undecided)) return request;
  if (merged === undefined) throw signal.aborted ? canceled(failure) : refusalOf(failure);
  switch (merged.kind) {
    case 'nothing':
      // No ref moves, so no push is judged. The checks of the judge are done here.
      await granted.renew();
      await checkStill(parts, repository, facts);
      await parts.mergeIntents.recordContained(repository.id, facts, merged.target);
      return request;
    case 'conflict':
      throw blocked(conflictRule, { conflicts: merged.conflicts });
    case 'no-target':
    case 'moved':
    case 'merged':
      // The next attempt checks the rules again, which reject a missing target.
      return undefined;
  }
}

/**
 * Checks again after git has finished: the request may have been closed or reviewed, and rules may have changed.
 * @throws {Conflict}
 */
async function checkStill(
  parts: Parts,
  repository: Repository,
  { number, targetBranch }: Pick<MergeFacts, 'number' | 'targetBranch'>,
): Promise<void> {
  const request = await knownRequest(parts, repository, number);
  if (request.targetBranch !== targetBranch)
    throw new Conflict('The merge request has another target branch now', { detail: 'Try again' });
  const [rule] = (await outlookOf(parts, repository, request)).rules;
  if (rule !== undefined) throw blocked(rule);
}

const canceled = (cause?: unknown): Unavailable =>
  new Unavailable('The merge was canceled; nothing was merged', { code: 'merge_canceled', detail: 'Try again', cause });

const busyWith =
  (branch: string) =>
  (cause: unknown): Unavailable =>
    new Unavailable('Other merges into the branch took too long; nothing was merged', {
      detail: `Those into "${branch}" take turns, and this one's did not come; try again`,
      retryAfter: retryAfterSeconds,
      cause,
    });

const movesTooFast = (branch: string): TimedOut =>
  new TimedOut('The merge timed out; nothing was merged', {
    code: 'merge_timed_out',
    detail: `"${branch}" was moved by others each time; try again`,
  });

/** Converts an error of git to the error of the corresponding rule. */
const refusalOf = (error: unknown): unknown =>
  error instanceof HexforgeError && error.code === 'rebase_too_long'
    ? blocked({ code: 'rebase_too_long', detail: error.detail ?? '' })
    : error;

function undecided(cause: unknown): never {
  throw new Unavailable('The merge may have been made, or not', {
    detail: 'Look at the merge request again in a minute',
    cause,
  });
}

/**
 * Deletes the source branch if the caller may, and only if its tip is still the merged commit, so that no later push is
 * lost. Never rejects: a failed deletion does not undo the merge.
 */
async function deleteSource(parts: Parts, { call }: MergeGranted, request: MergeRequest): Promise<void> {
  const { log } = parts;
  const { sourceBranch, repositoryId, number } = request;
  try {
    await deleteBranchOf(parts, call, request);
  } catch (error) {
    const members = { repository: repositoryId, number, branch: sourceBranch, err: error };
    if (error instanceof HexforgeError) log.debug(members, 'the source branch of a merge stays');
    else log.warn(members, 'the source branch of a merge could not be deleted');
  }
}
