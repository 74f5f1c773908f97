// Pages that ask before something is deleted.
import { html, HtmlPage, type HtmlPiece, type RefusedForm } from 'hexforge/plugin';
import { button, formError, linkButton } from 'hexforge/ui';

interface Confirmation {
  readonly title: HtmlPiece;
  readonly pageTitle: string;
  /** The consequences. */
  readonly about: HtmlPiece;
  /** The path that receives the form, and its hidden fields. */
  readonly action: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly label: string;
  /** The path of the page before. */
  readonly cancel: string;
  readonly refused: RefusedForm | undefined;
}

export const confirmation = ({
  title,
  pageTitle,
  about,
  action,
  fields = {},
  label,
  cancel,
  refused,
}: Confirmation): HtmlPage =>
  new HtmlPage({
    title: pageTitle,
    width: 'wide',
    main: html`<h1>${title}</h1>
      ${refused !== undefined && formError(refused, refused.form)}
      <p>${about}</p>
      <form method="post" action="${action}">
        ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <div class="actions">${button(label, { kind: 'danger' })} ${linkButton('Cancel', cancel)}</div>
      </form>`,
  });
