// The plugin of docs/plugins/pages.md: a page that shows who rang the bell, and a form that rings it.
import { count, definePlugin, form, html, HtmlPage, page, shape, signedIn } from 'hexforge/plugin';
import { button, empty, field, formError, list, person, time } from 'hexforge/ui';

interface Ring {
  readonly by: string;
  readonly times: number;
  readonly at: Date;
}

/** Earlier rings are forgotten, and all of them at the next start. */
const most = 30;

export default definePlugin({
  name: 'bells',
  version: '1.0.0',
  api: '^0.2.0',
  build: () => ({ rings: [] as readonly Ring[] }),
  pages: (bell) => [
    page({
      id: 'bellsTower',
      summary: 'Shows who rang the bell',
      path: '/tower',
      access: signedIn,
      scope: null,
      run({ now }, { refused }) {
        const rows = bell.rings.map(({ by, times, at }) => ({
          title: person(by),
          about: `${times} times`,
          end: time(at, now),
        }));
        return new HtmlPage({
          title: 'Bell',
          width: 'wide',
          main: html`<h1>Bell</h1>
            ${rows.length > 0 ? list(rows) : empty('Nobody has rung the bell', 'The form below rings it.')}
            <form class="form" method="post" action="/-/x/bells/ring">
              ${formError(refused, 'bellsRing', 'times')}
              ${field({ label: 'Times', name: 'times', type: 'number', value: '1', required: true, refused })}
              ${button('Ring', { kind: 'primary' })}
            </form>`,
        });
      },
      forms: [
        form({
          id: 'bellsRing',
          summary: 'Rings the bell',
          path: '/ring',
          access: signedIn,
          scope: null,
          body: shape({ times: count().min(1).max(12) }),
          async run({ caller, now }, { body: { times } }) {
            bell.rings = [{ by: caller.username, times, at: now }, ...bell.rings].slice(0, most);
            return '/-/x/bells/tower';
          },
        }),
      ],
    }),
  ],
  menu: () => [{ id: 'bells', title: 'Bell', path: '/-/x/bells/tower', menu: 'instance', access: signedIn }],
});
