// The form for a comment or a review of a whole merge request.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { button, commentForm } from 'hexforge/ui';

interface TalkForm {
  readonly form: 'mergeTalk' | 'mergeReview';
  readonly action: string;
  /** The commit that the caller looks at. */
  readonly head: string;
  /** Whether a review can be submitted: the request is open. */
  readonly reviews: boolean;
  readonly refused: RefusedForm | undefined;
}

export const talkForm = ({ form, action, head, reviews, refused }: TalkForm): Html =>
  html`<div id="review">
    ${commentForm({
      form,
      action,
      label: reviews ? 'Comment or review' : 'Comment',
      hidden: html`<input type="hidden" name="sha" value="${head}" />`,
      buttons: html`${button('Comment', { name: 'verdict', value: 'comment' })}
      ${reviews && button('Approve', { name: 'verdict', value: 'approved' })}
      ${reviews && button('Ask for changes', { name: 'verdict', value: 'changes_requested' })}`,
      refused,
    })}
  </div>`;
