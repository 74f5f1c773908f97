// Lists the merge requests of a repository, the newest first.
import type { Page, PageRequest } from '#core/kernel/page';
import { numberedPage } from '#core/repositories/index';
import type { Reading } from '../model/held-request.ts';
import type { ListedRequest } from '../model/merge-request.ts';
import type { MergeParts } from '../model/parts.ts';
import type { MergeFilter } from '../model/ports.ts';
import { listedRequests } from '../model/view.ts';

export interface ListCommand extends MergeFilter {
  readonly page: PageRequest;
}

export const listRequests =
  (parts: Pick<MergeParts, 'store' | 'repositories' | 'planning' | 'pipelines'>) =>
  async ({ resource, call }: Reading, { page, ...filter }: ListCommand): Promise<Page<ListedRequest>> => {
    const { store } = parts;
    const slice = numberedPage(page, 'newest');
    const [rows, total] = await Promise.all([store.list(resource.id, filter, slice), store.count(resource.id, filter)]);
    return { items: await listedRequests(parts, resource, call.caller, rows), total, ...page };
  };
