// The forms for comments: a new one, and a change of one.
import { html, type Html, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import { button, linkButton } from '../button.ts';
import { group } from '../disclosure.ts';
import { formError, textArea } from '../field.ts';

interface CommentForm {
  /** The id of the form, whose member `body` is the text. */
  readonly form: string;
  readonly action: string;
  readonly refused: RefusedForm | undefined;
}

/**
 * The form for a new comment, in Markdown.
 *
 * @example
 *   const talk = commentForm({ form: 'bellTalk', action: '/-/x/bell/south/talk', refused: undefined });
 */
export function commentForm({
  form,
  action,
  refused,
  label = 'Comment',
  hidden,
  buttons = button('Comment', { kind: 'primary' }),
}: CommentForm & {
  readonly label?: string;
  /** Before the text, such as hidden members. */
  readonly hidden?: HtmlPiece;
  readonly buttons?: HtmlPiece;
}): Html {
  const own = refused?.form === form ? refused : undefined;
  return html`<form class="talk-form" method="post" action="${action}">
    ${formError(own, form, 'body')} ${hidden}
    ${textArea({ label, name: 'body', rows: 5, hint: 'Markdown', refused: own })}
    <div class="actions">${buttons}</div>
  </form>`;
}

/** The form that changes a comment. @param cancel the place to which it leads back. */
export const commentEdit = ({
  form,
  action,
  refused,
  value,
  cancel,
}: CommentForm & { readonly value: string; readonly cancel: string }): Html =>
  html`<form class="texts" method="post" action="${action}">
    ${formError(refused, form, 'body')}
    ${textArea({
      label: 'Comment',
      name: 'body',
      id: 'edited-body',
      rows: 10,
      value,
      hint: 'Markdown',
      required: true,
      refused,
    })}
    <div class="actions">${button('Save', { kind: 'primary' })} ${linkButton('Cancel', cancel)}</div>
  </form>`;

/** The form that deletes a comment. */
export const commentDeletion = (action: string, about = 'A deleted comment cannot be restored.'): Html =>
  group(
    'Delete the comment',
    about,
    html`<form method="post" action="${action}">${button('Delete the comment', { kind: 'danger' })}</form>`,
  );
