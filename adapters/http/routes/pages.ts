// The differences between pages and other operations: their documents, and the redirect to the sign-in page.
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { Unauthorized } from '#core/kernel/errors';
import type { Failure } from '../descriptor/errors.ts';
import { html, HtmlPage, refusalPage, type KeptTexts } from '../descriptor/html.ts';
import { plainFrame, type Around, type PageDocument, type PageFrame } from '../descriptor/page-frame.ts';
import type { Route } from '../descriptor/route.ts';
import { listed } from '../headers/lists.ts';
import { readCookies } from '../request/credentials.ts';
import type { ExternalPaths } from '../reply/external-paths.ts';

/** The page of the instance on which users sign in. */
const signInPath = '/-/sign-in';

/** Whether the header `Accept` names HTML, as that of browsers does (RFC 9110, section 12.5.1). */
export const acceptsHtml = (accept: string | undefined): boolean =>
  listed(accept).some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return (
      (type === 'text/html' || type === 'application/xhtml+xml') &&
      !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))
    );
  });

/**
 * Whether a failure is shown as a page. Patterns such as `/{owner}/{repo}` also match paths where no page is meant, so
 * there it is the client's choice.
 */
export const failsWithPage = (
  { result, path, errorPages }: Pick<Route, 'result' | 'path' | 'errorPages'>,
  { raw }: Request,
): boolean =>
  (result === 'html' && /\/-(?:\/|$)/.test(path)) ||
  ((result === 'html' || errorPages === true) && acceptsHtml(raw.req.headers.accept));

/** Makes the documents of pages, within the frame if there is one. */
export const framing =
  (frame: () => PageFrame | undefined, request: Request, url: string) =>
  (granted?: Around['granted']) =>
  (page: HtmlPage, status: number): Promise<PageDocument> =>
    (frame() ?? plainFrame).document(page, {
      call: request.app.exchange.call(),
      url,
      status,
      cookies: readCookies(request.raw.req.headers.cookie),
      granted,
    });

/** Whether a failure leads a browser to the sign-in page. Forms are excluded, because their content would be lost. */
export const leadsToSignIn = (error: unknown, { method, raw }: Request): boolean =>
  error instanceof Unauthorized &&
  (method === 'get' || method === 'head') &&
  raw.req.headers.authorization === undefined;

/** The redirect to the sign-in page, which then leads back. */
export const signInFirst = (h: ResponseToolkit, url: string, { pageHeader }: ExternalPaths): ResponseObject =>
  h
    .response()
    .code(303)
    .header('cache-control', 'no-store')
    .header('location', pageHeader('location', `${signInPath}?return_to=${encodeURIComponent(url)}`));

/** The page of a failure. @param kept the texts of the form that was refused. */
export const pageOf = (told: Failure, { method, raw }: Request, kept?: KeptTexts): HtmlPage =>
  told.page ??
  (told.status === 401 && method === 'post' && raw.req.headers.authorization === undefined
    ? sessionEnded
    : refusalPage(told, kept));

const sessionEnded = new HtmlPage({
  title: 'You are signed out',
  main: html`<h1>You are signed out</h1>
    <p>The form was not sent, and nothing has changed. What you typed is not lost:</p>
    <ol>
      <li><a href="${signInPath}" target="_blank">Sign in in another tab</a>.</li>
      <li>Come back to this tab and reload it. The browser asks whether to send the form again.</li>
    </ol>`,
});
