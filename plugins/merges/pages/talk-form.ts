// The form for a comment or a review of a whole merge request.
import { html, type Html, type RefusedForm } from 'hexforge/plugin';
import { button, formError, textArea } from 'hexforge/ui';

interface TalkForm {
  readonly form: 'mergeTalk' | 'mergeReview';
  readonly action: string;
  /** The commit that the caller looks at. */
  readonly head: string;
  /** Whether a review can be submitted: the request is open. */
  readonly reviews: boolean;
  readonly refused: RefusedForm | undefined;
}

export function talkForm({ form, action, head, reviews, refused }: TalkForm): Html {
  const own = refused?.form === form ? refused : undefined;
  return html`<form class="talk-form" id="review" method="post" action="${action}">
    ${formError(own, form, 'body')}
    <input type="hidden" name="sha" value="${head}" />
    ${textArea({ label: reviews ? 'Comment or review' : 'Comment', name: 'body', rows: 5, hint: 'Markdown', refused: own })}
    <div class="actions">
      ${button('Comment', { name: 'verdict', value: 'comment' })}
      ${reviews && button('Approve', { name: 'verdict', value: 'approved' })}
      ${reviews && button('Ask for changes', { name: 'verdict', value: 'changes_requested' })}
    </div>
  </form>`;
}
