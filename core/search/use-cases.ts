// Builds the use cases of search from their parts, for their own plugin.
import { indexing, type IndexingParts } from './indexing/indexing.ts';
import { progress, type ProgressParts } from './indexing/progress.ts';
import { auditedReindex, type ReindexParts } from './indexing/reindex.ts';
import { workQueue, type QueueParts, type PendingWork } from './indexing/queue.ts';
import { codeSection } from './model/documents.ts';
import type { SymbolReader } from './model/symbol.ts';
import { definitions } from './site/definitions.ts';
import { searchSections, type SectionParts } from './site/search-sections.ts';
import { siteSearch, type SiteParts } from './site/site-search.ts';
import { suggestions, type SuggestionParts } from './site/suggestions.ts';
import { toolSearches } from './site/tool-searches.ts';

export { markedParts, markedTerms } from './query/marks.ts';
export { parseSearchText } from './query/search-text.ts';

export type SearchParts = Omit<IndexingParts & ProgressParts, 'queue' | 'symbols'> & {
  readonly symbols: SymbolReader;
} & QueueParts &
  Omit<ReindexParts, 'progress'> &
  SectionParts &
  Omit<SiteParts, 'searches'> &
  Omit<SuggestionParts, 'site' | 'searches'>;

export function searchUseCases({ queue: rows, newVersion, ...parts }: SearchParts) {
  const queue = workQueue({ queue: rows, newVersion });
  const searches = searchSections(parts);
  const site = siteSearch({ ...parts, searches });
  const state = progress({ ...parts, queue });
  return {
    ...site,
    ...toolSearches({ site, searches }),
    definitions: definitions({ site, searches }),
    suggest: suggestions({ ...parts, site, searches }),
    indexing: indexing({ ...parts, queue }),
    progress: state,
    reindex: auditedReindex({ ...parts, progress: state }),

    /** Queues the files of a repository, or one document. */
    touched: (work: PendingWork) => queue.add(work, parts.clock.now()),
    /** Queues the files of a repository. */
    filesTouched: (repositoryId: string) =>
      queue.add({ section: codeSection, repositoryId, key: '' }, parts.clock.now()),
  };
}

export type SearchUseCases = ReturnType<typeof searchUseCases>;
