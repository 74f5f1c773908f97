// Lists branches with their divergence from the default branch, and creates and deletes them.
import type { Granted } from '#core/kernel/access/access';
import type { User } from '#core/kernel/caller';
import { Conflict, Forbidden, Unprocessable, ValidationFailed } from '#core/kernel/errors';
import type { Page, PageRequest } from '#core/kernel/page';
import type { Branch, BranchQuery } from '../model/branch.ts';
import type { Derived } from '../contents/derived.ts';
import type { Oid, Ref } from '../git/git-backend.ts';
import type { Divergence } from '../git/git-refs.ts';
import { createRef, deleteRef, newBranch, type DeletingParts, type MoveParts } from '../push/move-refs.ts';
import type { RepositoryParts } from '../model/parts.ts';
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
    const wanted = following(refs, prefix, query.after).filter(named(query.search, prefix));
    if (wanted.length > mostSorted && query.sort !== undefined && query.sort !== 'name') throw tooMany(query.sort);
    const divergences = async (shown: readonly Ref[]): Promise<ReadonlyMap<Oid, Divergence>> => {
      const base = refs.find(({ name }) => name === `${prefix}${defaultBranch}`)?.oid;
      return base === undefined ? new Map() : git.divergence(id, base, shown.map(oidOf), signal);
    };
    return {
      basis: { query, defaultBranch, protected: [...rules.keys()].toSorted(), refs: digest },
      async read() {
        const shown = pageOf(await sorted(), query);
        const [tips, apart] = await Promise.all([
          git.tips(id, shown.map(oidOf)),
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
        return { items, total: wanted.length, page: query.page, perPage: query.perPage };
      },
    };

    async function sorted(): Promise<readonly Ref[]> {
      const { sort = 'name', order } = query;
      const sign = query.sort !== undefined && order === 'desc' ? -1 : 1;
      if (sort === 'name') return sign === 1 ? wanted : wanted.toReversed();
      const key = await keyOf(sort);
      return wanted
        .map((ref) => ({ ref, key: key(ref.oid) }))
        .sort((a, b) => sign * (a.key - b.key))
        .map(({ ref }) => ref);
    }

    async function keyOf(sort: 'last_commit_at' | 'ahead' | 'behind'): Promise<(oid: Oid) => number> {
      if (sort !== 'last_commit_at') {
        const apart = await divergences(wanted);
        return (oid) => apart.get(oid)?.[sort] ?? 0;
      }
      const tips = await git.tips(id, refs.map(oidOf));
      return (oid) => {
        const tip = tips.get(oid);
        return tip?.kind === 'commit' ? tip.committedAt.getTime() : 0;
      };
    }
  };

const oidOf = ({ oid }: Ref): Oid => oid;

/** The refs after the one of this name in a sorted list. The ref itself need not exist. */
export function following(refs: readonly Ref[], start: string, after: string | undefined): readonly Ref[] {
  if (after === undefined) return refs;
  const full = start + after;
  const at = refs.findIndex(({ name }) => name >= full);
  if (at === -1) return [];
  return refs.slice(refs[at]?.name === full ? at + 1 : at);
}

/** Whether the name of a ref without its prefix contains the text, in any case. Every name contains an absent text. */
export function named(search: string | undefined, start: string): (ref: Pick<Ref, 'name'>) => boolean {
  const text = search?.toLowerCase() ?? '';
  return ({ name }) => text === '' || name.toLowerCase().includes(text, start.length);
}

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
    return { name, baseRef: await createRef(parts, granted, newBranch(name, baseRef)) };
  };

/** @param at the required tip of the branch. Absent: any tip. */
export interface BranchToDelete {
  readonly name: string;
  readonly at?: Oid;
}

/**
 * @throws {ValidationFailed} for the default branch; {Forbidden} for a protected one; {Conflict} if the tip of the
 * branch is not the required one; and as `deleteRef`.
 */
export const deleteBranch =
  (parts: DeletingParts) =>
  async (granted: Writable, { name, at }: BranchToDelete): Promise<void> => {
    const { id, defaultBranch } = granted.resource;
    // 400 over REST. For a push, ref-policy.ts rejects the same.
    if (name === defaultBranch)
      throw new ValidationFailed('The default branch cannot be deleted', {
        detail: 'Make another branch the default first',
      });
    await deleteRef(parts, granted, { kind: 'branch', name }, async (oid) => {
      if (at !== undefined && oid !== at)
        throw new Conflict('The branch has moved', { detail: `"${name}" is at ${oid}, not at ${at}` });
      if ((await parts.protections.all(id)).has(name))
        throw new Forbidden('The branch is protected', {
          detail: `"${name}" is protected: remove its protection first`,
        });
    });
  };
