// Lists tags, creates lightweight and annotated tags, and deletes tags.
import type { Granted } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import { Conflict, NotFound, Unavailable, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import { boundedMessages } from '../contents/answer-bounds.ts';
import { attempts, pageOf, type DeletingParts } from './branches.ts';
import { recordDeletions, spendDeletion } from '../push/deletions.ts';
import type { Derived } from '../contents/derived.ts';
import { zeroOid, type Oid } from '../git/git-backend.ts';
import type { Signature } from '../git/git-history.ts';
import { checkMove, moveRef, type MoveParts } from '../push/move-refs.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { inRoom } from '../push/ref-limit.ts';
import type { Repository } from '../model/repository.ts';

/** A tag as lists show it. */
export interface Tag {
  readonly name: string;
  /** The commit that the tag leads to, or the object that it points to if that is not a commit. */
  readonly oid: Oid;
  /** Undefined for a lightweight tag. */
  readonly annotation: { readonly message: string; readonly tagger: Signature | undefined } | undefined;
}

const prefix = 'refs/tags/';

/** Sorted by name. */
export const listTags =
  ({ git }: Pick<RepositoryParts, 'git'>) =>
  async ({ resource: { id } }: Granted<Repository, 'repo.read'>, query: PageRequest): Promise<Derived<Page<Tag>>> => {
    const { refs, digest } = await git.refList(id, 'tags');
    return {
      basis: { query, refs: digest },
      async read() {
        const shown = pageOf(refs, query);
        const tips = await git.tips(
          id,
          shown.map(({ oid }) => oid),
        );
        const messages = boundedMessages(
          shown.map(({ oid }) => {
            const tip = tips.get(oid);
            return tip?.kind === 'tag' ? tip.message : '';
          }),
        );
        const items = shown.map(({ name, oid }, index): Tag => {
          const tip = tips.get(oid);
          return tip?.kind === 'tag'
            ? {
                name: name.slice(prefix.length),
                oid: tip.commit ?? tip.target,
                annotation: { message: messages[index] ?? '', tagger: tip.tagger },
              }
            : {
                name: name.slice(prefix.length),
                oid: (tip?.kind === 'other' ? tip.commit : undefined) ?? oid,
                annotation: undefined,
              };
        });
        return { items, total: refs.length, page: query.page, perPage: query.perPage };
      },
    };
  };

export interface TagCommand {
  readonly name: string;
  readonly ref?: string | undefined;
  /** Empty or absent: a lightweight tag. */
  readonly message?: string | undefined;
}

type Writable = Granted<Repository, 'repo.write', User>;
type Parts = MoveParts & Pick<RepositoryParts, 'users'>;

/** @throws {ValidationFailed | NotFound | Conflict | Unprocessable} */
export const createTag =
  (parts: Parts) =>
  async (
    granted: Writable,
    { name, ref, message = '' }: TagCommand,
  ): Promise<{ readonly name: string; readonly ref: string }> => {
    const { git } = parts;
    const {
      resource: { id, defaultBranch },
      call,
    } = granted;
    if (!git.isLegalName('tag', name))
      throw new ValidationFailed('The tag name is not allowed', {
        detail:
          '"name" must be a name that git allows for a tag, not starting with "-" or "refs/", of at most 250 bytes between two slashes',
      });
    const named = ref ?? defaultBranch;
    const commit = await git.resolveCommit(id, named);
    if (commit === undefined)
      throw new NotFound('There is no such branch, tag or commit to put the tag on', {
        detail:
          ref === undefined
            ? 'The repository has no default branch yet; push a first commit'
            : '"ref" names no branch, tag or commit',
      });
    const full = `${prefix}${name}`;
    const taken = new Conflict('The repository has a tag of this name already', {
      detail: `"name": "${name}" is in use`,
    });
    if ((await git.readRefs(id, [full]))[0] !== zeroOid) throw taken;
    const update = { ref: full, old: zeroOid, new: commit };
    const moving = await inRoom(parts, id, update, async () => {
      await checkMove(parts, granted, update);
      const oid =
        message.trim() === ''
          ? commit
          : await git.writeTag(id, { name, commit, message, tagger: await taggerOf(parts, call) });
      return moveRef(parts, granted, { ...update, new: oid });
    });
    if (moving === 'stale') throw taken;
    return { name, ref: named };
  };

/** @throws {NotFound | RateLimited}; {Unavailable} if the tag keeps moving or the audit entry cannot be written. */
export const deleteTag =
  (parts: DeletingParts) =>
  async (granted: Writable, { name }: { readonly name: string }): Promise<void> => {
    const ref = `${prefix}${name}`;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const [oid = zeroOid] = await parts.git.readRefs(granted.resource.id, [ref]);
      if (oid === zeroOid) throw new NotFound('There is no such tag');
      const update = { ref, old: oid, new: zeroOid };
      await checkMove(parts, granted, update);
      if (attempt === 0) await spendDeletion(parts, granted.call);
      await recordDeletions(parts, granted, [{ ref, oid }]);
      if ((await moveRef(parts, granted, update)) === 'moved') return;
    }
    throw new Unavailable('The tag keeps moving', { detail: 'Try again when nobody pushes to it' });
  };

/** The email address is generated, because a tag is public and the account's address is not. */
async function taggerOf({ users }: Parts, { caller, now }: Call<User>): Promise<Signature> {
  const { id, username } = caller;
  const displayName = (await users.byIds([id])).get(id)?.displayName ?? '';
  return { name: displayName === '' ? username : displayName, email: `${username}@users.noreply`, date: now };
}
