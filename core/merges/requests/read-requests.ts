// Lists merge requests, and fetches one: with the details that lists omit, its id, or its commits.
import { offsetOf, type Page, type PageRequest } from '#core/kernel/page';
import { boundedCommits, numberedPage } from '#core/repositories/index';
import type { Bounded, CommitRecord, DiffAlgorithm } from '#core/repositories/index';
import { branchTip } from '../model/branches.ts';
import { knownRequest, settledRequest, type Reading } from '../model/held-request.ts';
import type { ListedRequest, MergeView } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { MergeFilter } from '../model/ports.ts';
import { commitsPruned, isPruned } from '../model/pruned.ts';
import { listedRequests, viewOf } from '../model/view.ts';

export interface ListCommand extends MergeFilter {
  readonly page: PageRequest;
}

export interface ByNumber {
  readonly number: number;
}

/** The newest first. */
export const listRequests =
  (parts: Pick<MergeParts, 'store' | 'settling' | 'repositories' | 'planning' | 'pipelines'>) =>
  async ({ resource, call }: Reading, { page, ...filter }: ListCommand): Promise<Page<ListedRequest>> => {
    const { store, settling } = parts;
    const slice = numberedPage(page, 'newest');
    const read = () => Promise.all([store.list(resource.id, filter, slice), store.count(resource.id, filter)]);
    const [rows, total] = await settling.list(resource.id, read, call.signal);
    return { items: await listedRequests(parts, resource, call.caller, rows), total, ...page };
  };

/** @throws {NotFound} */
export const fetchRequest =
  (parts: MergeParts) =>
  (
    { resource, call }: Reading,
    which: ByNumber & { readonly algorithm?: DiffAlgorithm | undefined },
  ): Promise<MergeView> =>
    viewOf(parts, resource, call, which);

/** The id of a request, as its events use it. @throws {NotFound} */
export const idOfRequest =
  (parts: Pick<MergeParts, 'store'>) =>
  async ({ resource }: Reading, { number }: ByNumber): Promise<string> =>
    (await knownRequest(parts, resource, number)).id;

/**
 * The commits of the source that the target lacks, the newest first. For a merged request, the commits that were
 * merged. @throws {NotFound}; {Conflict} `commits_pruned`.
 */
export const requestCommits =
  (parts: Pick<MergeParts, 'store' | 'settling' | 'git'>) =>
  async (
    { resource: { id }, call }: Reading,
    { number, page }: ByNumber & { readonly page: PageRequest },
  ): Promise<Bounded<CommitRecord>> => {
    const { git } = parts;
    const request = await settledRequest(parts, { id }, number, call.signal);
    const { headOid, baseOid, targetBranch } = request;
    const except = baseOid ?? (await branchTip(git, id, targetBranch));
    const query = { tip: headOid, except, skip: offsetOf(page), limit: page.perPage };
    const commits = await git.history(id, query, call.signal).catch(async (error: unknown) => {
      throw (await isPruned(git, request, error)) ? commitsPruned(error) : error;
    });
    return boundedCommits(commits);
  };
