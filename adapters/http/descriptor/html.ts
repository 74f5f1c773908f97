// Pages for browsers: HTML that escapes inserted text, and headers that isolate a page from other sites.
import { createHash } from 'node:crypto';
import { htmlEntity } from '#core/kernel/html';
import type { Failure } from './errors.ts';

/** HTML that is safe to send unescaped; made by `html`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value that can be inserted into HTML. Texts are escaped; undefined and false insert nothing. */
export type HtmlPiece = Html | string | false | undefined | readonly HtmlPiece[];

/**
 * HTML with pieces inserted into it.
 *
 * @example
 *   const greeting = html`<p>Hello, <bdi>${'<b>Ada</b>'}</bdi></p>`;
 */
export function html(parts: TemplateStringsArray, ...pieces: readonly HtmlPiece[]): Html {
  let text = parts[0] ?? '';
  for (let at = 0; at < pieces.length; at += 1) text += written(pieces[at]) + (parts[at + 1] ?? '');
  return new Html(text);
}

function written(piece: HtmlPiece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  return typeof piece === 'string' ? escaped(piece) : piece.map(written).join('');
}

/** The text for each character that is not written unchanged, by its UTF-16 code unit. None is above U+2069. */
const writtenFor: readonly (string | undefined)[] = Array.from({ length: 0x206a }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(character)) return '\u{fffd}';
  const entity = htmlEntity(character);
  return entity === character ? undefined : entity;
});

/**
 * Replaces control and bidirectional formatting characters by U+FFFD, so that invisible text becomes visible. One pass
 * without a callback, because a text of users may have a million such characters.
 */
function escaped(text: string): string {
  const whole = text.toWellFormed();
  let written = '';
  let from = 0;
  for (let at = 0; at < whole.length; at += 1) {
    const replacement = writtenFor[whole.charCodeAt(at)];
    if (replacement === undefined) continue;
    written += whole.slice(from, at) + replacement;
    from = at + 1;
  }
  return from === 0 ? whole : written + whole.slice(from);
}

/** The subject of a page with a side column: a repository, or a numbered thing in one. */
export interface ThingSubject {
  readonly kind: 'repository' | 'issue' | 'merge-request';
  readonly id: string;
  readonly repositoryId: string;
}

/** The subject of the page of a file: the file at a ref. */
export interface FileSubject {
  readonly kind: 'file';
  /** The blob. */
  readonly id: string;
  readonly repositoryId: string;
  /** The names of the repository. */
  readonly owner: string;
  readonly repository: string;
  /** A branch, a tag or a commit. */
  readonly ref: string;
  /** Whether `ref` is the default branch, whose files are searched. */
  readonly isDefaultBranch: boolean;
  readonly path: string;
}

/** The subject of a page with a side column. */
export type PageSubject = ThingSubject | FileSubject;

/**
 * A page of this instance. It has no content of other sites, cannot be framed, and its forms submit to this instance
 * only.
 */
export class HtmlPage {
  readonly title: string;
  readonly main: Html;
  /** The side column. */
  readonly aside: Html | undefined;
  /** The subject of the page, for which plugins contribute panels of the side column. */
  readonly subject: PageSubject | undefined;
  /** `narrow` is for a single form, such as the sign-in page, and has no scripts. */
  readonly width: 'narrow' | 'wide';
  /**
   * The path of the channel whose messages mean that the page has changed. Its elements with `id` and `data-region` are
   * then replaced, except those in which the user types.
   */
  readonly live: string | undefined;
  /** URLs that its forms may lead to by a redirect. */
  readonly formsLeadTo: readonly string[];
  /** Whether it says only that a request was refused. The frame then names pages to go to. */
  readonly isRefusal: boolean;

  constructor({
    title,
    main,
    aside,
    subject,
    live,
    width = 'narrow',
    formsLeadTo = [],
    isRefusal = false,
  }: Pick<HtmlPage, 'title' | 'main'> & Partial<HtmlPage>) {
    this.title = title;
    this.main = main;
    this.aside = aside;
    this.subject = subject;
    this.live = live;
    this.width = width;
    this.formsLeadTo = formsLeadTo;
    this.isRefusal = isRefusal;
  }
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; }
textarea, input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; }
button { padding: .5rem 1.25rem; margin: .5rem .5rem 0 0; font: inherit; cursor: pointer; }
small, code { color: GrayText; }
[role=alert] { padding: .5rem .75rem; border-left: .25rem solid #c33; }
`;
/** Built as one piece, because the hash covers every character of it. */
const styleElement = new Html(`<style>${style}</style>`);
const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

/**
 * The document of a page without a frame. Under the policy `no-referrer`, which every answer has, browsers send form
 * posts with `Origin: null`, as forms of other sites may; so the page sets the policy `same-origin` for itself.
 */
export const pageText = ({ title, main }: HtmlPage): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="same-origin" />
        <title>${title} – Hexforge</title>
        ${styleElement}
      </head>
      <body>
        <main>${main}</main>
      </body>
    </html> `.text;

/**
 * The headers of an answer with this page.
 * @param sources directives of the policy for scripts, styles and images.
 */
export const pageHeaders = (
  { formsLeadTo }: HtmlPage,
  sources: readonly string[] = [`style-src ${styleSource}`],
): Readonly<Record<string, string>> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    ...sources,
    ["form-action 'self'", ...new Set(formsLeadTo.map(sourceOf))].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
});

/** The origin of a URL, or only its scheme if the host cannot be written in a policy, such as an IPv6 address. */
function sourceOf(url: string): string {
  const { origin, protocol } = new URL(url);
  return /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/.test(origin) ? origin : protocol;
}

/** The texts of a form, each with its title. */
export type KeptTexts = readonly (readonly [title: string, text: string])[];

/** Statuses after which the same form may be accepted. */
const passing: ReadonlySet<number> = new Set([429, 503, 504]);

/** The page for an error without a special page. @param kept the texts of the form that was refused. */
export const refusalPage = (
  { status, body: { error, detail } }: Pick<Failure, 'status' | 'body'>,
  kept: KeptTexts = [],
): HtmlPage =>
  new HtmlPage({
    title: String(error),
    isRefusal: true,
    main: html`<h1>${String(error)}</h1>
      ${typeof detail === 'string' && html`<p>${detail}</p>`}
      ${
        kept.length > 0 &&
        passing.has(status) &&
        html`<p>Reload this page in a moment: the browser asks whether to send the form again.</p>`
      }
      ${kept.length > 0 && keptView(kept)}`,
  });

/** The texts of a refused form, to be copied. */
export const keptView = (kept: KeptTexts): Html =>
  html`<section class="kept">
    <h2>Your text is not saved</h2>
    <p>Copy it before you leave this page.</p>
    ${kept.map(
      ([title, text], index) =>
        html`<div class="field">
          <label for="kept-${String(index)}">${title}</label>
          <textarea id="kept-${String(index)}" rows="8" readonly>${`\n${text}`}</textarea>
        </div>`,
    )}
  </section>`;
