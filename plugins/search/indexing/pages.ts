// The page of administration with the state of the index, and the forms that index again.
import {
  form,
  html,
  HtmlPage,
  maybe,
  NotFound,
  oneOf,
  page,
  shape,
  ValidationFailed,
  word,
  type Html,
  type IndexingState,
  type MenuEntry,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { button, confirmButton, done, facts, field, formError, group, notice, pill, plural } from 'hexforge/ui';
import type { SearchUseCases } from '#core/search/use-cases';
import { administered } from './routes.ts';

const path = '/-/admin/search';

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;
function sized(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? String(bytes) : (bytes / 1024 ** step).toFixed(1)} ${units[step] ?? ''}`;
}

function duration(seconds: number): string {
  if (seconds < 120) return plural(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? plural(minutes, 'minute') : plural(Math.round(minutes / 60), 'hour');
}

const number = (value: number): string => value.toLocaleString('en');

function stateOf({ files, failing, rebuilding, waiting }: IndexingState): Html {
  if (files === undefined) return pill('Does not answer', 'bad');
  if (failing > 0) return pill('Failing', 'bad');
  if (rebuilding) return pill('Is rebuilt', 'accent');
  return waiting > 0 ? pill('Indexing', 'accent') : pill('Up to date', 'good');
}

function stateView(state: IndexingState): Html {
  const { files, symbols, documents, bytes, waiting, lagSeconds, failing, rebuilding, symbolRestarts } = state;
  return html`${
    files === undefined &&
    notice(
      html`The back end of the search is missing or does not answer, so searches find nothing. The
        <a href="/-/admin/plugins">plugins</a> and the log say why.`,
    )
  }
  ${facts([
    ['State', stateOf(state)],
    files === undefined ? undefined : ['Files', number(files)],
    symbols === undefined ? undefined : ['Definitions', number(symbols)],
    documents === undefined
      ? undefined
      : ['Documents', html`${number(documents)} <span class="muted">issues, merge requests, Markdown</span>`],
    bytes === undefined ? undefined : ['Size', sized(bytes)],
    ['Waiting', waiting === 0 ? 'Nothing' : `${number(waiting)}, the oldest for ${duration(lagSeconds)}`],
    [
      'Failing',
      failing === 0 ? 'Nothing' : html`${number(failing)} <span class="muted">tried again; see the log</span>`,
    ],
    ['Rebuild', rebuilding ? 'Running. Searches use the old index until it ends.' : 'None is running'],
    symbolRestarts === 0
      ? undefined
      : [
          'Reader of definitions',
          html`Restarted ${plural(symbolRestarts, 'time')} <span class="muted">because of a file</span>`,
        ],
  ])}`;
}

const again = (refused: RefusedForm | undefined): Html =>
  html`${group(
    'Index one repository again',
    'All its files, issues and merge requests are read again, beside other work.',
    html`<form class="form row" method="post" action="${path}/repository">
      ${formError(refused, 'searchReindexRepository', 'repository')}
      ${field({ label: 'Repository', name: 'repository', placeholder: 'owner/name', required: true, refused })}
      ${button('Index again')}
    </form>`,
  )}
  ${group(
    'Index everything again',
    'Needed only if searches miss things that are there. A new index is filled, and then replaces this one.',
    html`${formError(refused, 'searchReindexAll')}
    ${confirmButton('Index everything again…', {
      action: `${path}/everything`,
      about: 'Every repository is read. Until that ends, the database needs room for a second index.',
      confirm: 'Index everything again',
    })}`,
  )}`;

export const indexingPages = ({
  progress,
  reindex,
}: Pick<SearchUseCases, 'progress' | 'reindex'>): readonly WebPage[] => [
  page({
    ...administered,
    id: 'searchAdminPage',
    summary: 'The state of the search index',
    path: '/admin/search',
    query: shape({ done: maybe(oneOf('repository', 'everything')) }),
    async run(_call, { query, refused }) {
      return new HtmlPage({
        title: 'Search index',
        width: 'wide',
        main: html`<h1>Search index</h1>
          ${query.done === 'repository' && done('The repository is indexed again.')}
          ${query.done === 'everything' && done('A new index is filled within the next minutes.')}
          ${stateView(await progress.state())} ${again(refused)}`,
      });
    },
    forms: [
      form({
        ...administered,
        id: 'searchReindexRepository',
        summary: 'Indexes a repository again',
        path: '/admin/search/repository',
        body: shape({ repository: word().max(300) }),
        async run(call, { body: { repository } }) {
          await reindex(call, { repository: repository.trim() }).catch((error: unknown) => {
            if (!(error instanceof NotFound)) throw error;
            throw new ValidationFailed(error.message, { detail: '"repository" is not the path of one', cause: error });
          });
          return `${path}?done=repository`;
        },
      }),
      form({
        ...administered,
        id: 'searchReindexAll',
        summary: 'Fills a new index',
        path: '/admin/search/everything',
        body: shape({}),
        async run(call) {
          await reindex(call, { repository: undefined });
          return `${path}?done=everything`;
        },
      }),
    ],
  }),
];

export const indexingMenu: MenuEntry = {
  id: 'searchIndex',
  title: 'Search index',
  path,
  menu: 'admin',
  access: administered.access,
  order: 80,
  about: 'What is indexed, what waits, and how to index again',
};
