// The document around a page: head, navigation, main part and side column.
import { html, type Around, type Call, type Html, type HtmlPage, type MenuEntry } from 'hexforge/plugin';
import { avatar } from '../ui/avatar.ts';
import { icon } from '../ui/icon.ts';
import { menu, menuLink } from '../ui/menu.ts';
import { searchBox } from '../ui/search-box.ts';
import { tabs, type Tab } from '../ui/tabs.ts';
import type { Theme } from './theme.ts';

/** The parts of the frame that depend on the caller and the page. */
export interface Surroundings {
  readonly theme: Theme;
  /** The paths of the style sheet and the script. */
  readonly styles: string;
  readonly script: string;
  readonly icon: string;
  readonly version: string;
  readonly menus: Readonly<Record<MenuEntry['menu'], readonly MenuItem[]>>;
  /** The search box. */
  readonly search?: MenuItem | undefined;
  /** The pages beside this one, such as all pages of administration. */
  readonly section?: { readonly title: string; readonly pages: readonly Tab[] } | undefined;
  /** The panels of the side column. */
  readonly panels: readonly Html[];
  /** The repository of the page. */
  readonly repository?:
    | {
        readonly owner: string;
        readonly name: string;
        readonly tabs: readonly Tab[];
        /** Links that only their keys lead to. */
        readonly keys: readonly (MenuItem & { readonly key: string })[];
      }
    | undefined;
}

export interface MenuItem {
  readonly title: string;
  readonly path: string;
  /** The path that suggests what to search for. */
  readonly suggestions?: string | undefined;
}

const logo = html`<svg viewBox="0 0 20 22" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
  <path d="M10 1.500L18.500 6.300v9.400L10 20.500 1.500 15.700V6.300z" />
  <path d="M6.500 8v6M13.500 8v6M6.500 11h7" />
</svg>`;

const links = (items: readonly MenuItem[]): readonly Html[] =>
  items.map(({ title, path }) => menuLink({ title, href: path }));

const place = ({ repository }: Surroundings): Html | false =>
  repository !== undefined &&
  html`<nav class="place" aria-label="Repository">
    <a class="owner" href="/${repository.owner}"><bdi>${repository.owner}</bdi></a
    ><span class="slash">/</span><a href="/${repository.owner}/${repository.name}"><bdi>${repository.name}</bdi></a>
  </nav>`;

/** On narrow screens it is a link to its page. */
function box({ caller }: Call, { search, repository }: Surroundings): Html | false {
  if (search === undefined) return false;
  const { title, path, suggestions } = search;
  const repo = repository && `${repository.owner}/${repository.name}`;
  const within = repo === undefined ? '' : `?repo=${encodeURIComponent(repo)}`;
  return html`${searchBox({
      label: repo === undefined ? title : `${title} in this repository`,
      action: path,
      fields: { repo },
      suggestions: caller.kind === 'user' ? suggestions : undefined,
      form: 'frame-search',
    })} <a class="search-link" href="${path}${within}">${icon('search', title)}</a>`;
}

const themeNames = { light: 'Light colours', dark: 'Dark colours', system: 'Colours of the system' } as const;

/** Its controls are at the top; the form itself follows those of the page. */
const frameForm = (id: string, action: string, method: 'get' | 'post' = 'post'): Html =>
  html`<form id="${id}" method="${method}" action="${action}"></form>`;

const themeButtons = (theme: Theme): readonly Html[] =>
  (['light', 'dark', 'system'] as const)
    .filter((other) => other !== theme)
    .map((other) => html`<button form="frame-theme" name="theme" value="${other}">${themeNames[other]}</button>`);

function account({ caller }: Call, { menus, theme }: Surroundings, signIn: string): Html {
  if (caller.kind === 'anonymous') return html`<a class="button" href="${signIn}">Sign in</a>`;
  const { username } = caller;
  return html`${menus.new.length > 0 && menu('New', links(menus.new))}
  ${menu(
    avatar(username, 'large'),
    [
      html`<span class="text">Signed in as <b>${username}</b></span>`,
      ...links([{ title: 'Profile', path: `/${encodeURIComponent(username)}` }]),
      ...links(menus.account),
      ...links(menus.settings.slice(0, 1).map(({ path }) => ({ title: 'Settings', path }))),
      ...links(menus.admin.slice(0, 1).map(({ path }) => ({ title: 'Administration', path }))),
      ...themeButtons(theme),
      html`<button form="frame-sign-out">Sign out</button>`,
    ],
    `Account of ${username}`,
  )}`;
}

/** The path of the sign-in page, which leads back to this one. */
export const signInPath = (url: string): string => `/-/sign-in?return_to=${encodeURIComponent(url)}`;

/** The next step on a page that is missing or refused. */
const wayOut = ({ caller }: Call, url: string): Html =>
  caller.kind === 'anonymous'
    ? html`<p><a href="${signInPath(url)}">Sign in</a> to see more, or go to the <a href="/">start page</a>.</p>`
    : html`<p>Go to the <a href="/">start page</a>.</p>`;

/** The next step after a sign-in provider did not answer. The page to return to is kept. */
function otherSignIn(url: string): Html {
  const returnTo = new URLSearchParams(url.split('?')[1]).get('return_to');
  return html`<p>
    Go to the <a href="${returnTo === null ? '/-/sign-in' : signInPath(returnTo)}">sign-in page</a>, or to the
    <a href="/">start page</a>.
  </p>`;
}

export function documentOf(page: HtmlPage, { call, url, status }: Around, frame: Surroundings): string {
  const { theme, styles, script, icon, version, menus, repository, panels, section } = frame;
  const { title, main, aside, width, live, isRefusal } = page;
  const isMissing = isRefusal && (status === 403 || status === 404);
  const isWhole = width === 'wide' || call.caller.kind === 'user' || isMissing;
  const where = repository === undefined ? '' : ` · ${repository.owner}/${repository.name}`;
  return html`<!doctype html>
    <html lang="en" ${theme !== 'system' && html`data-theme="${theme}"`}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="same-origin" />
        <title>${title}${where} &ndash; Hexforge</title>
        <link rel="icon" type="image/svg+xml" href="${icon}" />
        <link rel="stylesheet" href="${styles}" />
        ${width === 'wide' && html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <a class="skip" href="#frame-content">Skip to the content</a>
        <header>
          <div class="top">
            <a class="logo" href="/" aria-label="Home">${logo}</a>
            ${place(frame)}
            ${
              repository === undefined &&
              menus.instance.length > 0 &&
              html`<nav aria-label="Instance">
                <ul>
                  ${links(menus.instance).map((link) => html`<li>${link}</li>`)}
                </ul>
              </nav>`
            }
            <span class="spring"></span>
            ${isWhole && box(call, frame)} ${isWhole && account(call, frame, signInPath(url))}
          </div>
          ${repository !== undefined && tabs('Parts of the repository', repository.tabs)}
        </header>
        <div id="frame-content" class="page ${width}" tabindex="-1" ${live !== undefined && html`data-live="${live}"`}>
          ${section !== undefined && tabs(section.title, section.pages, 'section')}
          <main>${main} ${isMissing && wayOut(call, url)} ${isRefusal && status === 502 && otherSignIn(url)}</main>
          ${(aside !== undefined || panels.length > 0) && html`<aside>${aside} ${panels}</aside>`}
        </div>
        <footer class="foot"><span>Hexforge ${version}</span><a href="/-/keys" data-key="?">Keys</a></footer>
        ${repository?.keys.map(({ title, path, key }) => html`<a href="${path}" data-key="${key}" hidden>${title}</a>`)}
        ${isWhole && frame.search !== undefined && frameForm('frame-search', frame.search.path, 'get')}
        ${
          call.caller.kind === 'user' &&
          html`${frameForm('frame-theme', '/-/theme')} ${frameForm('frame-sign-out', '/-/sign-out')}`
        }
      </body>
    </html> `.text;
}

/** Puts the path of the external URL before every path of this instance, where that URL has one. */
export const withPrefix = (text: string, prefix: string): string =>
  prefix === ''
    ? text
    : text.replaceAll(/ (href|src|action|formaction|data-live|data-suggestions)="\/(?!\/)/g, ` $1="${prefix}/`);
