// The commands of the search index: `hexforge reindex` and `hexforge search status`.
import type { IndexingState } from '#core/kernel/services/search-indexing';
import { reindex, searchIndexing } from '../control/controls.ts';
import { print, printTable, type Command } from './command.ts';
import { byServerOrHere } from './offline.ts';

export const reindexCommand: Command = {
  name: 'reindex',
  may: ['REPOSITORY'],
  summary: 'reads one repository again for the search, or everything into a new index that replaces the old one',
  example: 'hexforge reindex ada/site',
  async run(context) {
    const [path] = context.positionals;
    const request = { ask: 'reindex', ...(path !== undefined && { argument: path }) };
    await byServerOrHere(context, request, async ({ machine }) => {
      machine.stayBuilt();
      return reindex(machine.container, path);
    });
    print(
      context,
      path === undefined
        ? 'a new index is filled while the server runs; the old one answers until it is whole'
        : `"${path}" is read again while the server runs`,
    );
    print(context, 'hexforge search status shows how far it is');
    return 0;
  },
};

export const indexStatus: Command = {
  name: 'search status',
  summary: 'shows the size of the search index and what waits to be indexed',
  example: 'hexforge search status --json',
  flags: { json: { type: 'boolean', description: 'one JSON object instead of a table' } },
  async run(context) {
    const state: IndexingState = await byServerOrHere(context, { ask: 'index-state' }, async ({ machine }) => {
      machine.stayBuilt();
      return searchIndexing(machine.container).state();
    });
    if (context.flags['json'] === true) {
      print(context, JSON.stringify(state));
      return 0;
    }
    const figure = (value: number | undefined): string => (value === undefined ? 'unknown' : String(value));
    printTable(context, [
      ['files', figure(state.files)],
      ['symbols', figure(state.symbols)],
      ['documents', figure(state.documents)],
      ['bytes on disk', figure(state.bytes)],
      ['waiting', figure(state.waiting)],
      ['seconds behind', figure(state.lagSeconds)],
      ['failing', figure(state.failing)],
      ['rebuild', state.rebuilding ? 'running' : 'none'],
      ['restarts of the symbol reader', figure(state.symbolRestarts)],
    ]);
    return 0;
  },
};
