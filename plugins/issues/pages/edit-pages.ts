// The pages on which texts of an issue are changed or removed: title and description, a comment, the whole issue.
import {
  changes,
  form,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  ValidationFailed,
  word,
  type WebPage,
} from 'hexforge/plugin';
import { issueBounds } from 'hexforge/issues';
import {
  button,
  commentDeletion,
  commentEdit,
  field,
  formError,
  linkButton,
  onlyChanged,
  shownValues,
  textArea,
} from 'hexforge/ui';
import { issueParams, writing } from '../params.ts';
import { editParams } from '../description-history/schemas.ts';
import { markdown, shownMember } from './fields.ts';
import { issuePath, issuesPath, talkQuery, type PageParts } from './links.ts';

const editPage = (parts: PageParts): WebPage =>
  page({
    id: 'issueEditPage',
    summary: 'A form for the texts of an issue',
    place: 'repository',
    path: '/issues/{number}/edit',
    ...writing,
    params: issueParams,
    async run(_call, { granted, params, refused }) {
      const repository = granted.resource;
      const issue = await parts.useCases.fetch(granted, params);
      const { title, description, assumptions, acceptanceCriteria } = issue;
      const texts = { title, description, assumptions, acceptanceCriteria };
      return new HtmlPage({
        title: `Edit #${issue.number}`,
        width: 'wide',
        main: html`<h1>Edit <a href="${issuePath(repository, issue.number)}">#${String(issue.number)}</a></h1>
          <form class="texts" method="post" action="${issuePath(repository, issue.number, 'edit')}">
            ${formError(refused, 'issueEdit', 'title', 'description')} ${shownValues(texts, refused)}
            ${field({ label: 'Title', name: 'title', required: true, value: issue.title, refused })}
            ${textArea({ label: 'Description', name: 'description', rows: 14, value: issue.description, hint: 'Markdown', refused })}
            ${textArea({ label: 'Assumptions', name: 'assumptions', rows: 4, value: issue.assumptions ?? '', refused })}
            ${textArea({ label: 'Acceptance criteria', name: 'acceptance_criteria', rows: 4, value: issue.acceptanceCriteria ?? '', refused })}
            <p class="actions">
              ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', issuePath(repository, issue.number))}
              <a href="${issuePath(repository, issue.number, 'history')}">History of the description</a>
            </p>
          </form>`,
      });
    },
    forms: [
      form({
        id: 'issueEdit',
        summary: 'Changes the texts of an issue',
        place: 'repository',
        path: '/issues/{number}/edit',
        ...writing,
        body: shape({
          title: word().max(issueBounds.title),
          description: maybe(markdown()),
          assumptions: maybe(markdown()),
          acceptance_criteria: maybe(markdown()),
          shown: shownMember(),
        }),
        async run(_call, { granted, params: { number }, body }) {
          const texts = {
            title: body.title,
            description: body.description ?? '',
            assumptions: body.assumptions ?? null,
            acceptanceCriteria: body.acceptance_criteria ?? null,
          };
          await parts.useCases.update(granted, { number, ...onlyChanged(texts, body.shown) });
          return issuePath(granted.resource, number);
        },
      }),
    ],
  });

const commentPage = (parts: PageParts): WebPage =>
  page({
    id: 'issueCommentPage',
    summary: 'One comment, to change or delete it',
    place: 'repository',
    path: '/issues/{number}/comments/{id}',
    ...writing,
    params: editParams,
    async run({ caller }, { granted, params: { number, id }, url, refused }) {
      const repository = granted.resource;
      const comment = await parts.useCases.comments.fetch(granted, { number, id });
      const query = talkQuery(url);
      const path = issuePath(repository, number, `comments/${id}`);
      return new HtmlPage({
        title: `Comment on #${number}`,
        width: 'wide',
        main: html`<h1>Comment on <a href="${issuePath(repository, number)}">#${number}</a></h1>
          ${
            caller.id === comment.authorId
              ? commentEdit({
                  form: 'issueCommentEdit',
                  action: path + query,
                  value: comment.body,
                  cancel: `${issuePath(repository, number)}${query}#comment-${id}`,
                  refused,
                })
              : html`<pre class="text"><bdi>${comment.body}</bdi></pre>`
          }
          ${(caller.id === comment.authorId || caller.isAdmin) && commentDeletion(`${path}/delete${query}`)}`,
      });
    },
    forms: [
      form({
        id: 'issueCommentEdit',
        summary: 'Changes a comment',
        place: 'repository',
        path: '/issues/{number}/comments/{id}',
        ...writing,
        body: shape({ body: markdown() }),
        async run(_call, { granted, params: { number, id }, body: { body }, url }) {
          await parts.useCases.comments.update(granted, { number, id, body });
          return `${issuePath(granted.resource, number)}${talkQuery(url)}#comment-${id}`;
        },
      }),
      form({
        id: 'issueCommentDelete',
        summary: 'Deletes a comment',
        place: 'repository',
        path: '/issues/{number}/comments/{id}/delete',
        ...writing,
        body: shape({}),
        async run(_call, { granted, params: { number, id }, url }) {
          await parts.useCases.comments.delete(granted, { number, id });
          return issuePath(granted.resource, number) + talkQuery(url);
        },
      }),
    ],
  });

const deletePage = ({ useCases }: PageParts): WebPage =>
  page({
    id: 'issueDeletePage',
    summary: 'Asks before an issue is deleted',
    place: 'repository',
    path: '/issues/{number}/delete',
    access: changes('repository', 'repo.own'),
    scope: 'repo.admin',
    params: issueParams,
    async run(_call, { granted, params, refused }) {
      const repository = granted.resource;
      const issue = await useCases.fetch(granted, params);
      const number = String(issue.number);
      return new HtmlPage({
        title: `Delete #${number}`,
        width: 'wide',
        main: html`<h1>Delete <bdi>${issue.title}</bdi></h1>
          <p>Its comments, links and history are deleted with it, and nothing of it can be restored.</p>
          <form class="texts" method="post" action="${issuePath(repository, number, 'delete')}">
            ${formError(refused, 'issueDelete', 'number')}
            ${field({ label: `Type ${number} to confirm`, name: 'number', required: true, refused })}
            <p class="actions">
              ${button('Delete the issue', { kind: 'danger' })} ${linkButton('Cancel', issuePath(repository, number))}
            </p>
          </form>`,
      });
    },
    forms: [
      form({
        id: 'issueDelete',
        summary: 'Deletes an issue',
        place: 'repository',
        path: '/issues/{number}/delete',
        access: changes('repository', 'repo.own'),
        scope: 'repo.admin',
        body: shape({ number: word() }),
        async run(_call, { granted, params: { number }, body }) {
          const issue = await useCases.fetch(granted, { number });
          if (body.number.replace('#', '') !== String(issue.number))
            throw new ValidationFailed('The issue was not deleted', {
              detail: `"number" must be ${issue.number}, the number of the issue`,
            });
          await useCases.delete(granted, { number });
          return issuesPath(granted.resource);
        },
      }),
    ],
  });

export const editPages = (parts: PageParts): readonly WebPage[] => [
  editPage(parts),
  commentPage(parts),
  deletePage(parts),
];
