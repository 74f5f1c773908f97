// The pages of the web interface itself: the start page, the keys and the components.
import { anyone, form, html, HtmlPage, page, reply, type Log, type PageRegistry, type WebPage } from 'hexforge/plugin';
import { returnPath } from 'hexforge/identity';
import { empty } from '../ui/list.ts';
import { sections } from '../frame/contributed.ts';
import { themeBody, themeCookie } from '../frame/theme.ts';
import { componentsPage } from './components/page.ts';

const keys: readonly (readonly [string, string])[] = [
  ['?', 'this page'],
  ['/', 'search field of the page, or the search box'],
  ['j', 'next row, file or comment'],
  ['k', 'previous row, file or comment'],
  ['Enter', 'open it'],
  ['g c', 'code of the repository'],
  ['g i', 'issues'],
  ['g m', 'merge requests'],
  ['c', 'new issue'],
  ['t', 'find a file of the repository'],
  ['y', 'permanent link of a file'],
  ['e', 'edit'],
  ['Alt click', 'definition of a name in the code'],
  ['Ctrl Enter', 'send the form'],
  ['Escape', 'close the menu'],
];

const keysPage = new HtmlPage({
  title: 'Keys',
  width: 'wide',
  main: html`<h1>Keys</h1>
    <table class="plain">
      <thead>
        <tr>
          <th>Key</th>
          <th>Does</th>
        </tr>
      </thead>
      <tbody>
        ${keys.map(
          ([key, does]) =>
            html`<tr>
              <td>${key.split(' ').map((one) => html`<kbd>${one}</kbd> `)}</td>
              <td>${does}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <p class="quiet">For authors of plugins: <a href="/-/ui">the components of pages</a>.</p>`,
});

interface Parts {
  readonly registry: PageRegistry;
  readonly log: Log;
}

export const homePages = ({ registry, log }: Parts): readonly WebPage[] => [
  page({
    id: 'webHome',
    summary: 'What waits for the signed-in user; for others what they can explore',
    place: 'root',
    path: '/',
    access: anyone,
    scope: null,
    async run(call) {
      const all = await sections(registry.cards(), (card) => card.run(call), log);
      return new HtmlPage({
        title: call.caller.kind === 'user' ? 'Dashboard' : 'Explore',
        width: 'wide',
        main: html`<h1 class="skip">${call.caller.kind === 'user' ? 'Dashboard' : 'Explore'}</h1>
          ${all.length > 0 ? all : empty('There is nothing here yet')}`,
      });
    },
  }),
  page({
    id: 'webKeys',
    summary: 'The keys of the pages',
    path: '/keys',
    access: anyone,
    scope: null,
    run: () => keysPage,
  }),
  page({
    id: 'webComponents',
    summary: 'The components of pages in all their states',
    path: '/ui',
    access: anyone,
    scope: null,
    run: (call, { url, refused }) => componentsPage(call.now, url, refused),
    forms: [
      form({
        id: 'webTheme',
        summary: 'Chooses light or dark colours',
        path: '/theme',
        access: anyone,
        scope: null,
        body: themeBody,
        run: async (_call, { body: { theme }, header }) =>
          reply(cameFrom(header('referer')), { cookies: [themeCookie(theme)] }),
      }),
    ],
  }),
];

/** The page on which the form was, if it is one of this instance. */
function cameFrom(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return '/';
  const { pathname, search } = new URL(referer);
  return returnPath(pathname + search) ?? '/';
}
