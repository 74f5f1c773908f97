// Lists tags, creates lightweight and annotated tags, and deletes tags.
import type { Granted } from '#core/kernel/access/access';
import type { Call, User } from '#core/kernel/caller';
import type { Page, PageRequest } from '#core/kernel/page';
import { boundedMessages } from '../contents/answer-bounds.ts';
import { following, named, pageOf } from './branches.ts';
import type { Derived } from '../contents/derived.ts';
import type { Oid } from '../git/git-backend.ts';
import type { Signature } from '../git/git-history.ts';
import { createRef, deleteRef, type DeletingParts, type MoveParts } from '../push/move-refs.ts';
import type { RepositoryParts } from '../model/parts.ts';
import type { Repository } from '../model/repository.ts';

/** A tag as lists show it. */
export interface Tag {
  readonly name: string;
  /** The commit that the tag leads to, or the object that it points to if that is not a commit. */
  readonly oid: Oid;
  /** Undefined for a lightweight tag. */
  readonly annotation: { readonly message: string; readonly tagger: Signature | undefined } | undefined;
}

export interface TagQuery extends PageRequest {
  /** Only tags whose name contains this text, in any case. */
  readonly search?: string | undefined;
  /** Only tags that follow this name in the order of names. */
  readonly after?: string | undefined;
}

const prefix = 'refs/tags/';

/** Sorted by name. */
export const listTags =
  ({ git }: Pick<RepositoryParts, 'git'>) =>
  async ({ resource: { id } }: Granted<Repository, 'repo.read'>, query: TagQuery): Promise<Derived<Page<Tag>>> => {
    const { refs: all, digest } = await git.refList(id, 'tags');
    const refs = following(all, prefix, query.after).filter(named(query.search, prefix));
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
          const short = name.slice(prefix.length);
          if (tip?.kind !== 'tag')
            return { name: short, oid: (tip?.kind === 'other' ? tip.commit : undefined) ?? oid, annotation: undefined };
          const annotation = { message: messages[index] ?? '', tagger: tip.tagger };
          return { name: short, oid: tip.commit ?? tip.target, annotation };
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
    const { resource, call } = granted;
    const naming = { member: 'ref', missing: 'There is no such branch, tag or commit to put the tag on' };
    const tag = { kind: 'tag', name, from: ref, naming } as const;
    const from = await createRef(parts, granted, tag, async (commit) =>
      message.trim() === ''
        ? commit
        : git.writeTag(resource.id, { name, commit, message, tagger: await taggerOf(parts, call) }),
    );
    return { name, ref: from };
  };

/** @throws {NotFound | RateLimited}; {Unavailable} if the tag keeps moving or the audit entry cannot be written. */
export const deleteTag =
  (parts: DeletingParts) =>
  (granted: Writable, { name }: { readonly name: string }): Promise<void> =>
    deleteRef(parts, granted, { kind: 'tag', name });

/** The email address is generated, because a tag is public and the account's address is not. */
async function taggerOf({ users }: Parts, { caller, now }: Call<User>): Promise<Signature> {
  const { id, username } = caller;
  const displayName = (await users.byIds([id])).get(id)?.displayName ?? '';
  return { name: displayName === '' ? username : displayName, email: `${username}@users.noreply`, date: now };
}
