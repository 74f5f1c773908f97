// Lists the repositories that a caller can read. The query itself filters by visibility.
import type { Call } from '#core/kernel/caller';
import { Unauthorized } from '#core/kernel/errors';
import { boundedPage, offsetOf, pageRules, type PageRequest, type PageRule } from '#core/kernel/page';
import type { RepositoryParts } from '../model/parts.ts';
import { readerOf } from '../access/readable.ts';
import type { RepositorySort } from '../model/ports.ts';
import type { Repository, Visibility } from '../model/repository.ts';

export interface ListCommand extends Partial<PageRequest> {
  /** Only the caller's own repositories. */
  readonly mine?: boolean | undefined;
  /** Only the repositories of this owner, by username. */
  readonly owner?: string | undefined;
  /** Only repositories that the caller owns, collaborates on or watches. */
  readonly involved?: boolean | undefined;
  readonly visibility?: Visibility | undefined;
  /** Each of its words is a part of `owner/name` or of the description. */
  readonly q?: string | undefined;
  readonly sort?: RepositorySort | undefined;
}

/** A part of a list. Its total is not counted, because it takes a read of every repository. */
export interface RepositorySlice extends PageRequest {
  readonly items: readonly Repository[];
  /** Whether a page follows. */
  readonly more: boolean;
}

/** The most repositories in a response, which is also the default. */
export function listRule({ mine = false, involved = false }: Pick<ListCommand, 'mine' | 'involved'>): PageRule {
  const cap = mine || involved ? 100 : 50;
  return pageRules.capped(cap, cap);
}

/** More words are ignored. */
const mostWords = 8;

/** @throws {Unauthorized} for `mine` and `involved` without a user. */
export const listRepositories =
  ({ store }: Pick<RepositoryParts, 'store'>) =>
  async ({ caller }: Call, command: ListCommand): Promise<RepositorySlice> => {
    const { mine = false, involved = false, owner, visibility, q = '', sort } = command;
    const userId = caller.kind === 'user' ? caller.id : undefined;
    if ((mine || involved) && userId === undefined)
      throw new Unauthorized('Your own repositories can be listed only when you are signed in');
    const page = boundedPage(listRule(command), command);
    const words = q.split(/\s+/).filter((word) => word !== '');
    const offset = offsetOf(page);
    const found = await store.list({
      reader: readerOf(caller),
      ownerId: mine ? userId : undefined,
      involving: involved ? userId : undefined,
      owner,
      visibility,
      words: words.length > 0 ? words.slice(0, mostWords) : undefined,
      sort,
      limit: page.perPage + 1,
      ...(offset > 0 && { offset }),
    });
    return { ...page, items: found.slice(0, page.perPage), more: found.length > page.perPage };
  };
