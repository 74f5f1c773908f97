// A timeline: comments in boxes, and changes as single lines, in the order of time.
import { html, type Html, type HtmlPiece } from 'hexforge/plugin';
import { avatar } from './avatar.ts';
import { time } from './time.ts';

/** A comment or review, with its text. */
export interface Comment {
  /** The id of the element, which links lead to. */
  readonly id: string;
  readonly author: string;
  /** After the name of the author, such as the time. */
  readonly head: HtmlPiece;
  /** At the end of the head, such as a menu. */
  readonly actions?: HtmlPiece;
  readonly body: HtmlPiece;
}

/** A box with the text of a person. */
export const comment = ({ id, author, head, actions, body }: Comment): Html =>
  html`<article class="comment box" id="${id}">
    <div class="head">
      <span class="grow"
        >${avatar(author)} <b><bdi>${author}</bdi></b> <span class="quiet">${head}</span></span
      >
      ${actions}
    </div>
    <div class="body">${body}</div>
  </article>`;

/** The time of a comment as the link to it, and whether it was changed later. */
export const commented = (
  { id, createdAt, updatedAt }: { readonly id: string; readonly createdAt: Date; readonly updatedAt: Date },
  now: Date,
): Html =>
  html`<a class="bare" href="#comment-${id}">commented ${time(createdAt, now)}</a
    >${updatedAt > createdAt && ' · edited'}`;

/** A change as one line. */
export const change = (mark: HtmlPiece, text: HtmlPiece): Html =>
  html`<div class="change"><span class="mark">${mark}</span><span>${text}</span></div>`;

/** Comments and changes. */
export const timeline = (entries: readonly Html[]): Html => html`<div class="timeline">${entries}</div>`;
