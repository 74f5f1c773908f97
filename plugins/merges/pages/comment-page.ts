// The page on which one comment is edited or deleted.
import { form, html, HtmlPage, NotFound, page, shape, word, type WebPage } from 'hexforge/plugin';
import { longestText } from 'hexforge/merges';
import { commentDeletion, commentEdit, urlWith } from 'hexforge/ui';
import type { MergeUseCases } from '#core/merges/use-cases';
import { changingComment } from '../params.ts';
import { mayChange } from './comment-view.ts';
import { commentIn, numberIn } from './input.ts';
import { requestPage, talkPage } from './links.ts';

const place = 'repository';
const path = '/merges/{number}/comments/{cid}';

export const commentPage = (merges: MergeUseCases): WebPage =>
  page({
    ...changingComment,
    id: 'mergeCommentPage',
    summary: 'The forms that change or delete a comment on a merge request',
    place,
    path,
    forms: [
      form({
        ...changingComment,
        id: 'mergeCommentEdit',
        summary: 'Changes a comment on a merge request',
        place,
        path: `${path}/edit`,
        body: shape({ body: word().max(longestText) }),
        async run(_call, { granted, params, body: { body }, url }) {
          const number = numberIn(params);
          await merges.comments.update(granted, { number, id: commentIn(params), body });
          return `${talkPage(granted.resource, number, url)}#comment-${params.cid}`;
        },
      }),
      form({
        ...changingComment,
        id: 'mergeCommentDeleteForm',
        summary: 'Deletes a comment on a merge request',
        place,
        path: `${path}/delete`,
        body: shape({}),
        async run(_call, { granted, params, url }) {
          const number = numberIn(params);
          await merges.comments.delete(granted, { number, id: commentIn(params) });
          return talkPage(granted.resource, number, url);
        },
      }),
    ],
    async run(_call, { granted, params, url, refused }) {
      const number = numberIn(params);
      const comment = await merges.comment(granted, { number, id: commentIn(params) });
      if (!mayChange(granted, comment)) throw new NotFound('There is no such page for you');
      const back = `${talkPage(granted.resource, number, url)}#comment-${comment.id}`;
      const action = (part: string): string =>
        urlWith(
          requestPage(granted.resource, number, `comments/${comment.id}/${part}?${url.split('?', 2)[1] ?? ''}`),
          {},
        );
      return new HtmlPage({
        title: `Comment on !${String(number)}`,
        width: 'wide',
        main: html`<h1>Comment on <a href="${requestPage(granted.resource, number)}">!${String(number)}</a></h1>
          ${commentEdit({ form: 'mergeCommentEdit', action: action('edit'), value: comment.body, cancel: back, refused })}
          ${commentDeletion(action('delete'), 'A deleted comment cannot be restored. Replies on the same line stay.')}`,
      });
    },
  });
