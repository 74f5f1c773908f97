// Lists branches with their divergence from the default branch, creates them, and deletes them with an audit entry and
// a rate limit.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, Forbidden, NotFound, Unavailable, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Branch, BranchQuery } from '../model/branch.ts';
import { recordDeletions, spendDeletion, type DeletionParts } from '../push/deletions.ts';
import type { Derived } from '../contents/derived.ts';
import { zeroOid, type Oid, type Ref } from '../git/git-backend.ts';
import type { Divergence } from '../git/git-refs.ts';
import { checkMove, moveRef, type MoveParts } from '../push/move-refs.ts';
import type { RepositoryParts } from '../model/parts.ts';
import { inRoom } from '../push/ref-limit.ts';
import type { Repository } from '../model/repository.ts';

type Readable = Granted<Repository, 'repo.read'>;
type Writable = Granted<Repository, 'repo.write', User>;
const none: Divergence = { ahead: 0, behind: 0 };
const prefix = 'refs/heads/';
/** The most branches that can be sorted by anything but their name, because that reads the last commit of each. */
const mostSorted = 10_000;

const tooMany = (sort: string): Unprocessable =>
  new Unprocessable(`There are too many branches to be sorted by ${sort}`, {
    detail: `"sort" is "name" where there are more than ${mostSorted}`,
  });

/** Sorted by name by default. Ties are sorted by name. @throws {Unprocessable} */
export const listBranches =
  ({ git, protections }: Pick<RepositoryParts, 'git' | 'protections'>) =>
  async (
    { resource: { id, defaultBranch }, call: { signal } }: Readable,
    query: BranchQuery,
  ): Promise<Derived<Page<Branch>>> => {
    const [{ refs, digest }, rules] = await Promise.all([git.refList(id, 'branches'), protections.all(id)]);
    if (refs.length > mostSorted && query.sort !== undefined && query.sort !== 'name') throw tooMany(query.sort);
    const divergences = async (shown: readonly Ref[]): Promise<ReadonlyMap<Oid, Divergence>> => {
      const base = refs.find(({ name }) => name === `${prefix}${defaultBranch}`)?.oid;
      return base === undefined
        ? new Map()
        : git.divergence(
            id,
            base,
            shown.map(({ oid }) => oid),
            signal,
          );
    };
    return {
      basis: {
        query,
        defaultBranch,
        protected: [...rules.keys()].toSorted(),
        refs: digest,
      },
      async read() {
        const shown = pageOf(await sorted(refs), query);
        const [tips, apart] = await Promise.all([
          git.tips(
            id,
            shown.map(({ oid }) => oid),
          ),
          query.includeDivergence ? divergences(shown) : new Map<Oid, Divergence>(),
        ]);
        const items = shown.map(({ name: full, oid }): Branch => {
          const name = full.slice(prefix.length);
          const tip = tips.get(oid);
          const { subject, author, committedAt } =
            tip?.kind === 'commit' ? tip : { subject: '', author: '', committedAt: new Date(0) };
          return {
            name,
            oid,
            subject,
            author,
            committedAt,
            isDefault: name === defaultBranch,
            isProtected: rules.has(name),
            divergence: apart.get(oid) ?? none,
          };
        });
        return { items, total: refs.length, page: query.page, perPage: query.perPage };
      },
    };

    async function sorted(all: readonly Ref[]): Promise<readonly Ref[]> {
      const key = await keyOf(query.sort, all);
      const sign = query.sort !== undefined && query.order === 'desc' ? -1 : 1;
      if (key === undefined) return sign === 1 ? all : all.toReversed();
      return all
        .map((ref) => ({ ref, key: key(ref.oid) }))
        .sort((a, b) => sign * (a.key - b.key))
        .map(({ ref }) => ref);
    }

    async function keyOf(sort: BranchQuery['sort'], all: readonly Ref[]): Promise<((oid: Oid) => number) | undefined> {
      if (sort === undefined || sort === 'name') return undefined;
      if (sort === 'last_commit_at') {
        const tips = await git.tips(
          id,
          all.map(({ oid }) => oid),
        );
        return (oid) => {
          const tip = tips.get(oid);
          return tip?.kind === 'commit' ? tip.committedAt.getTime() : 0;
        };
      }
      const apart = await divergences(all);
      return (oid) => apart.get(oid)?.[sort] ?? 0;
    }
  };

export function pageOf<T>(all: readonly T[], { page, perPage }: PageRequest): readonly T[] {
  const from = (page - 1) * perPage;
  return from < all.length ? all.slice(from, from + perPage) : [];
}

/** @throws {ValidationFailed | NotFound | Conflict | Forbidden | Unprocessable} */
export const createBranch =
  (parts: MoveParts) =>
  async (
    granted: Writable,
    { name, baseRef }: { readonly name: string; readonly baseRef?: string | undefined },
  ): Promise<{ readonly name: string; readonly baseRef: string }> => {
    const { git } = parts;
    const { id, defaultBranch } = granted.resource;
    if (!git.isLegalName('branch', name))
      throw new ValidationFailed('The branch name is not allowed', {
        detail:
          '"name" must be a name that git allows for a branch, not starting with "-" or "refs/", of at most 250 bytes between two slashes',
      });
    const base = baseRef ?? defaultBranch;
    const commit = await git.resolveCommit(id, base);
    if (commit === undefined)
      throw new NotFound('There is no such branch or commit to begin from', {
        detail:
          baseRef === undefined
            ? 'The repository has no default branch yet; push a first commit'
            : '"base_ref" names no branch, tag or commit',
      });
    const update = { ref: `${prefix}${name}`, old: zeroOid, new: commit };
    const taken = new Conflict('The repository has a branch of this name already', {
      detail: `"name": "${name}" is in use`,
    });
    if ((await git.readRefs(id, [update.ref]))[0] !== zeroOid) throw taken;
    const moving = await inRoom(parts, id, update, async () => {
      await checkMove(parts, granted, update);
      return moveRef(parts, granted, update);
    });
    if (moving === 'stale') throw taken;
    return { name, baseRef: base };
  };

/** How often a deletion is tried if pushes move the ref meanwhile. */
export const attempts = 5;

/** @param at the required tip of the branch. Absent: any tip. */
export interface BranchToDelete {
  readonly name: string;
  readonly at?: Oid;
}

export type DeletingParts = MoveParts & DeletionParts;

/**
 * @throws {ValidationFailed} for the default branch; {NotFound | Forbidden | RateLimited}; {Conflict} if the tip of the
 * branch is not the required one; {Unavailable} if the audit entry cannot be written or the branch keeps moving.
 */
export const deleteBranch =
  (parts: DeletingParts) =>
  async (granted: Writable, { name, at }: BranchToDelete): Promise<void> => {
    const { git, protections } = parts;
    const {
      resource: { id, defaultBranch },
      call,
    } = granted;
    // 400 over REST. For a push, ref-policy.ts rejects the same.
    if (name === defaultBranch)
      throw new ValidationFailed('The default branch cannot be deleted', {
        detail: 'Make another branch the default first',
      });
    const ref = `${prefix}${name}`;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const [oid = zeroOid] = await git.readRefs(id, [ref]);
      if (oid === zeroOid) throw new NotFound('There is no such branch');
      if (at !== undefined && oid !== at)
        throw new Conflict('The branch has moved', { detail: `"${name}" is at ${oid}, not at ${at}` });
      if ((await protections.all(id)).has(name))
        throw new Forbidden('The branch is protected', {
          detail: `"${name}" is protected: remove its protection first`,
        });
      const update = { ref, old: oid, new: zeroOid };
      await checkMove(parts, granted, update);
      if (attempt === 0) await spendDeletion(parts, call);
      await recordDeletions(parts, granted, [{ ref, oid }]);
      if ((await moveRef(parts, granted, update)) === 'moved') return;
    }
    throw new Unavailable('The branch keeps moving', { detail: 'Try again when nobody pushes to it' });
  };
