// Progress of the indexing, for administrators, and the commands that index again.
import { found } from '#core/kernel/errors';
import type { IndexingState, SearchIndexing } from '#core/kernel/services/search-indexing';
import type { Clock } from '#core/kernel/time';
import { nameKey, type Repositories } from '#core/repositories/index';
import type { SearchBackend } from '../model/backend.ts';
import { codeSection } from '../model/documents.ts';
import type { Section } from '../model/section.ts';
import type { SymbolReader } from '../model/symbol.ts';
import type { WorkQueue } from './queue.ts';

export interface ProgressParts {
  readonly backend: () => SearchBackend | undefined;
  readonly queue: WorkQueue;
  readonly sections: () => readonly Section[];
  readonly repositories: Pick<Repositories, 'named'>;
  readonly clock: Clock;
  readonly symbols: Pick<SymbolReader, 'restarts'>;
}

export function progress({ backend, queue, sections, repositories, clock, symbols }: ProgressParts): SearchIndexing {
  return {
    async state(): Promise<IndexingState> {
      const { waiting, since, failing } = await queue.backlog();
      const asked = async () => {
        const provider = backend();
        return provider && { size: await provider.size(), indexes: await provider.indexes() };
      };
      const known = await asked().catch(() => undefined);
      return {
        files: known?.size.files,
        symbols: known?.size.symbols,
        documents: known?.size.documents,
        bytes: known?.size.bytes,
        waiting,
        lagSeconds: since === undefined ? 0 : Math.max(0, Math.round((clock.now().getTime() - since.getTime()) / 1000)),
        failing,
        rebuilding: (known?.indexes.length ?? 0) > 1,
        symbolRestarts: Object.values(symbols.restarts).reduce((sum, count) => sum + count, 0),
      };
    },

    async reindex(path) {
      if (path === undefined) {
        await found(backend(), 'There is no search back end').beginRebuild();
        return;
      }
      const { id } = found((await repositories.named([path])).get(nameKey(path)), `There is no repository "${path}"`);
      for (const section of [codeSection, ...sections().map(({ name }) => name)])
        await queue.add({ section, repositoryId: id, key: '' }, clock.now(), { forced: true });
    },
  };
}
