// The history of an issue's description: the list of its changes, and one of them.
import {
  changes,
  form,
  html,
  HtmlPage,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  type WebPage,
} from 'hexforge/plugin';
import type { DescriptionEditView } from 'hexforge/issues';
import { button, diff, disclosure, empty, list, pagination, person, plural, time, type ChangedFile } from 'hexforge/ui';
import { editParams } from '../description-history/schemas.ts';
import { issueParams, reading } from '../params.ts';
import { issuePath, type PageParts } from './links.ts';
import { changedHunks } from './text-changes.ts';

/** Each entry has two texts of up to 65,536 characters. */
const perPage = 20;

/** The change as that of a file. */
function changeOf({ bodyBefore, bodyAfter }: DescriptionEditView): ChangedFile {
  const hunks = changedHunks(bodyBefore, bodyAfter);
  const count = (wanted: '+' | '-'): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter(({ op }) => op === wanted).length, 0);
  return {
    oldPath: 'Description',
    newPath: 'Description',
    isAdd: false,
    isDelete: false,
    isRename: false,
    isBinary: false,
    additions: count('+'),
    deletions: count('-'),
    hunks,
  };
}

export const historyPages = ({ useCases }: PageParts): readonly WebPage[] => [
  page({
    id: 'issueHistoryPage',
    summary: 'The changes of the description of an issue',
    place: 'repository',
    path: '/issues/{number}/history',
    ...reading,
    params: issueParams,
    query: shape({ page: pageQuery.page }),
    async run({ now }, { granted, params: { number }, query, url }) {
      const repository = granted.resource;
      const { page: current } = readPage(pageRules.capped(), query);
      const edits = await useCases.descriptionHistory.list(granted, { number, page: { page: current, perPage } });
      return new HtmlPage({
        title: `History of #${number}`,
        width: 'wide',
        main: html`<h1>History of the description of <a href="${issuePath(repository, number)}">#${number}</a></h1>
          ${
            edits.length === 0
              ? empty(
                  'The description was never changed',
                  html`<a href="${issuePath(repository, number)}">Back to the issue</a>`,
                )
              : list(
                  edits.map(({ id, editor, editedAt, bodyBefore, bodyAfter }) => ({
                    title: html`<a href="${issuePath(repository, number, `history/${id}`)}"
                      >changed ${time(editedAt, now)}</a
                    >`,
                    about: html`by ${person(editor.username)}`,
                    end: `${bodyBefore.length.toLocaleString('en')} → ${plural(bodyAfter.length, 'character')}`,
                  })),
                )
          }
          ${pagination(url, { page: current, perPage, more: edits.length === perPage })}`,
      });
    },
  }),
  page({
    id: 'issueHistoryEntryPage',
    summary: 'One change of the description of an issue',
    place: 'repository',
    path: '/issues/{number}/history/{id}',
    ...reading,
    params: editParams,
    async run({ now }, { granted, params: { number, id } }) {
      const repository = granted.resource;
      const edit = await useCases.descriptionHistory.fetch(granted, { number, id });
      return new HtmlPage({
        title: `Change of #${number}`,
        width: 'wide',
        main: html`<h1>Change of the description of <a href="${issuePath(repository, number)}">#${number}</a></h1>
          <p class="muted">
            ${person(edit.editor.username)} changed it ${time(edit.editedAt, now)} ·
            <a href="${issuePath(repository, number, 'history')}">All changes</a>
          </p>
          ${await diff([changeOf(edit)], { view: 'unified' })}
          ${disclosure(
            'Both texts',
            html`<div class="columns">
              <section>
                <h2>Before</h2>
                <pre class="text">${edit.bodyBefore}</pre>
              </section>
              <section>
                <h2>After</h2>
                <pre class="text">${edit.bodyAfter}</pre>
              </section>
            </div>`,
          )}
          ${
            granted.may('repo.admin') &&
            html`<form method="post" action="${issuePath(repository, number, `history/${id}/delete`)}">
              <p class="muted">
                If a description should not have been published, delete the changes that contain it. A deleted change
                cannot be restored.
              </p>
              ${button('Delete the change', { kind: 'danger' })}
            </form>`
          }`,
      });
    },
    forms: [
      form({
        id: 'issueHistoryDelete',
        summary: 'Deletes a change of a description',
        place: 'repository',
        path: '/issues/{number}/history/{id}/delete',
        access: changes('repository', 'repo.admin'),
        scope: 'repo.admin',
        body: shape({}),
        async run(_call, { granted, params: { number, id } }) {
          await useCases.descriptionHistory.delete(granted, { number, id });
          return issuePath(granted.resource, number, 'history');
        },
      }),
    ],
  }),
];
