// Creates and deletes branches and tags over REST. The change is judged like a push, has an intent, and emits the same
// events. A deletion has an audit entry and a rate limit.
import type { Granted } from '#core/kernel/access/access';
import { Conflict, Forbidden, NotFound, Unavailable, ValidationFailed } from '#core/kernel/errors';
import { zeroOid, type GitBackend, type Oid, type RefUpdate } from '../git/git-backend.ts';
import type { Moving } from '../git/git-refs.ts';
import { recordDeletions, spendDeletion, type DeletionParts } from './deletions.ts';
import { judgeRefs } from './ref-policy.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { pushIntent, type PushIntentParts } from './push-intent.ts';
import { inRoom, type RefLimitParts } from './ref-limit.ts';
import type { Repository } from '../model/repository.ts';

export type MoveParts = PushIntentParts & RefLimitParts & Pick<RepositoryParts, 'protections'>;
export type DeletingParts = MoveParts & DeletionParts;
type Writable = Granted<Repository, 'repo.write'>;

const prefixes = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;
type Kind = keyof typeof prefixes;

/** A branch or tag to create. */
export interface NewRef {
  readonly kind: Kind;
  readonly name: string;
  /** The branch, tag or commit that it begins from. Absent: the default branch. */
  readonly from: string | undefined;
  /** The member of the body that names it, and the error message if it does not exist. */
  readonly naming: { readonly member: string; readonly missing: string };
}

/** @param from the branch, tag or commit that it begins from; absent: the default branch. */
export const newBranch = (name: string, from: string | undefined): NewRef => ({
  kind: 'branch',
  name,
  from,
  naming: { member: 'base_ref', missing: 'There is no such branch or commit to begin from' },
});

/**
 * @param target makes the object that the ref points to. Default: the commit.
 * @returns the name that the new ref began from.
 * @throws {ValidationFailed | NotFound | Conflict | Forbidden | Unprocessable}
 */
export async function createRef(
  parts: MoveParts,
  granted: Writable,
  { kind, name, from, naming }: NewRef,
  target = async (commit: Oid) => commit,
): Promise<string> {
  const { id, defaultBranch } = granted.resource;
  const { ref, commit } = await unusedRef(parts.git, granted.resource, { kind, name, from, naming });
  const update = { ref, old: zeroOid, new: commit };
  const moving = await inRoom(parts, id, update, async () => {
    await checkMove(parts, granted, update);
    return moveRef(parts, granted, { ...update, new: await target(commit) });
  });
  if (moving === 'stale') throw inUse(kind, name);
  return from ?? defaultBranch;
}

/**
 * The full name of a ref that does not exist yet, and the commit that it begins from.
 * @throws {ValidationFailed | NotFound | Conflict}
 */
export async function unusedRef(
  git: Pick<GitBackend, 'isLegalName' | 'resolveCommit' | 'readRefs'>,
  { id, defaultBranch }: Repository,
  { kind, name, from, naming }: NewRef,
): Promise<{ readonly ref: string; readonly commit: Oid }> {
  if (!git.isLegalName(kind, name))
    throw new ValidationFailed(`The ${kind} name is not allowed`, {
      detail: `"name" must be a name that git allows for a ${kind}, not starting with "-" or "refs/", of at most 250 bytes between two slashes`,
    });
  const commit = await git.resolveCommit(id, from ?? defaultBranch);
  if (commit === undefined)
    throw new NotFound(naming.missing, {
      detail:
        from === undefined
          ? 'The repository has no default branch yet; push a first commit'
          : `"${naming.member}" names no branch, tag or commit`,
    });
  const ref = `${prefixes[kind]}${name}`;
  if ((await git.readRefs(id, [ref]))[0] !== zeroOid) throw inUse(kind, name);
  return { ref, commit };
}

const inUse = (kind: Kind, name: string): Conflict =>
  new Conflict(`The repository has a ${kind} of this name already`, { detail: `"name": "${name}" is in use` });

/** How often a deletion is tried if pushes move the ref meanwhile. */
const attempts = 5;

/**
 * @param check throws if the ref must not be deleted at this value.
 * @throws {NotFound | Forbidden | RateLimited}; {Unavailable} if the audit entry cannot be written or the ref keeps
 * moving.
 */
export async function deleteRef(
  parts: DeletingParts,
  granted: Writable,
  { kind, name }: Pick<NewRef, 'kind' | 'name'>,
  check?: (oid: Oid) => Promise<void>,
): Promise<void> {
  const ref = `${prefixes[kind]}${name}`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const [oid = zeroOid] = await parts.git.readRefs(granted.resource.id, [ref]);
    if (oid === zeroOid) throw new NotFound(`There is no such ${kind}`);
    await check?.(oid);
    const update = { ref, old: oid, new: zeroOid };
    await checkMove(parts, granted, update);
    if (attempt === 0) await spendDeletion(parts, granted.call);
    await recordDeletions(parts, granted, [{ ref, oid }]);
    if ((await moveRef(parts, granted, update)) === 'moved') return;
  }
  throw new Unavailable(`The ${kind} keeps moving`, { detail: 'Try again when nobody pushes to it' });
}

/**
 * @throws {Forbidden} with the rule that does not allow the change; {Unauthorized | NotFound} if access was lost while
 * the request was queued.
 */
async function checkMove(parts: MoveParts, granted: Writable, update: RefUpdate): Promise<void> {
  const { resource: repository, call } = await granted.renew();
  const verdicts = await judgeRefs(
    parts,
    repository,
    call.caller,
  )([update], {
    // Creations and deletions rewrite no history and add no objects.
    isAncestor: async () => false,
    atomic: true,
    size: async () => 0,
  });
  const refusal = verdicts.find(({ ref }) => ref === update.ref)?.refusal;
  if (refusal !== undefined) throw new Forbidden('The branch or tag is protected from this', { detail: refusal });
}

/**
 * Creates or deletes one ref after `checkMove`. `stale` if its current value is not `update.old`.
 * @throws {Conflict} if the name conflicts with another ref (`a` and `a/b`).
 */
async function moveRef(
  parts: MoveParts,
  { resource: { id }, call }: Writable,
  update: RefUpdate,
): Promise<Exclude<Moving, 'in-the-way'>> {
  const { hooks, renew, conclude } = pushIntent(parts, id, call.caller);
  let moving: Moving;
  try {
    await hooks.announced([update]);
    await renew();
    moving = await parts.git.moveRefs(id, [update]).catch(async (error: unknown) => {
      // git may have moved the ref although the call failed. The client must get a success then, so that it does not
      // retry.
      const [now] = await parts.git.readRefs(id, [update.ref]).catch(() => {
        throw new Unavailable('The branch or tag may have been changed, or not', {
          detail: 'Look at it before you try again',
          cause: error,
        });
      });
      if (now !== update.new) throw error;
      return 'moved' as const;
    });
    if (moving === 'moved') await hooks.landed([update]);
    await conclude(true);
  } catch (error) {
    await conclude(false);
    throw error;
  }
  if (moving === 'in-the-way')
    throw new Conflict('The name is in the way of another', {
      detail: `"${update.ref}" and one of its folders cannot both be names; choose another`,
    });
  return moving;
}
