// The page that shows every component in all its states.
import { html, HtmlPage, type Html, type RefusedForm } from 'hexforge/plugin';
import * as ui from '../ui/index.ts';

const choices = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
];

const refusedExample: RefusedForm = {
  form: 'example',
  error: 'The request is not valid',
  detail: 'Field "title" is required',
  field: 'title',
  values: { about: 'What was typed is kept' },
};

const changedExample: ui.ChangedFile = {
  oldPath: 'src/old.ts',
  newPath: 'src/new.ts',
  isAdd: false,
  isDelete: false,
  isRename: true,
  isBinary: false,
  additions: 2,
  deletions: 1,
  hunks: [
    {
      oldStart: 1,
      oldLines: 3,
      newStart: 1,
      newLines: 4,
      lines: [
        { op: ' ', content: 'const seen = new Map();', oldNo: 1, newNo: 1 },
        { op: '-', content: 'for (const node of walk(document)) {', oldNo: 2, newNo: 0 },
        { op: '+', content: 'let left = limits.nodes;', oldNo: 0, newNo: 2 },
        { op: '+', content: 'for (const node of document.nodes()) {', oldNo: 0, newNo: 3 },
        { op: ' ', content: '}', oldNo: 3, newNo: 4, noNewline: true },
      ],
    },
  ],
};
const diffExamples = (name: string): readonly ui.ChangedFile[] => [
  { ...changedExample, newPath: `src/${name}.ts` },
  { ...changedExample, newPath: `${name}.png`, isBinary: true, hunks: [] },
  { ...changedExample, newPath: `${name}.lock`, suppressed: 'The file is too large to be shown.', hunks: [] },
];

const shown = (title: string, ...content: readonly (Html | false)[]): Html =>
  html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;

export const componentsPage = async (now: Date, url: string, refused: RefusedForm | undefined): Promise<HtmlPage> =>
  new HtmlPage({
    title: 'Components',
    width: 'wide',
    main: html`<h1>Components</h1>
      ${ui.formError(refused, 'webTheme')}
      ${shown(
        'Buttons',
        html`<div class="actions">
          ${ui.button('Plain')} ${ui.button('Primary', { kind: 'primary' })} ${ui.button('Danger', { kind: 'danger' })}
          ${ui.linkButton('Link', '/-/ui', { key: 't' })}
        </div>`,
        ui.signInButton('Sign in to comment', '/-/ui'),
      )}
      ${shown(
        'Fields',
        ui.field({ label: 'Title', name: 'title', hint: 'One line', required: true, refused: refusedExample }),
        ui.textArea({ label: 'About', name: 'about', rows: 3, refused: refusedExample }),
        ui.select({ label: 'Choice', name: 'choice', value: 'two', choices }),
        ui.checkBox({ label: 'Tick', name: 'tick', value: true, hint: 'With a hint' }),
        ui.shownValues({ title: 'The first one', about: '' }),
        ui.picks({ label: 'Several', name: 'several', values: ['two'], choices }),
        ui.picks({ label: 'None', name: 'none', values: [], choices: [] }),
      )}
      ${shown(
        'Pills',
        ...(['neutral', 'good', 'bad', 'warning', 'merged', 'accent'] as const).map((tone) => ui.pill(tone, tone)),
        ...(['open', 'closed', 'merged'] as const).map((state) => ui.statePill(state)),
      )}
      ${shown('People', ui.person('ada'), html``, ui.person('bo'), html``, ui.person('cleo'))}
      ${shown(
        'Times',
        ...[0, 90, 7200, 90_000, 1_000_000, 100_000_000].map(
          (seconds) => html`${ui.time(new Date(now.getTime() - seconds * 1000), now)} `,
        ),
      )}
      ${shown(
        'Tabs',
        ui.tabs('Example', [
          { title: 'Code', href: '/-/ui', current: true },
          { title: 'Issues', href: '/-/keys', count: 42, current: false },
        ]),
      )}
      ${shown('Menu', ui.menu('Menu', [ui.menuLink({ title: 'First', href: '/-/ui' })]))}
      ${shown(
        'Lists',
        ui.list(
          [
            { mark: ui.icon('folder'), title: html`<a href="/-/ui">core</a>`, about: 'Rules', end: '2 h' },
            { mark: ui.icon('file'), title: html`<a href="/-/ui">README.md</a>`, about: 'Read me', end: '3 d' },
          ],
          ui.listLinks('State', [
            { title: '2 open', href: '/-/ui', current: true },
            { title: '3 closed', href: '/-/keys', current: false },
          ]),
        ),
        ui.list([], ui.plural(0, 'file'), ui.empty('There is no file yet')),
        html`<p>${ui.dotted(['One piece', false, ui.plural(2, 'other')])}</p>`,
        html`<p>${ui.dotted(ui.usernamesIn('@ada, bo').map((name) => ui.person(name)))}</p>`,
        ui.pagination(url, { page: 2, perPage: 25, total: 70 }),
      )}
      ${shown(
        'Timeline',
        ui.timeline([
          ui.comment({
            id: 'comment-1',
            author: 'ada',
            head: ui.commented({ id: '1', createdAt: now, updatedAt: now }, now),
            actions: ui.menu('…', [ui.menuLink({ title: 'Edit', href: '/-/ui' })], 'Actions'),
            body: html`<p>The text of a comment</p>`,
          }),
          ui.change(ui.icon('branch'), html`${ui.person('bo')} pushed 2 commits`),
        ]),
        ui.commentForm({ form: 'example', action: '/-/ui', refused: undefined }),
        ui.commentEdit({ form: 'example', action: '/-/ui', value: 'The text', cancel: '/-/ui', refused: undefined }),
        ui.commentDeletion('/-/ui'),
      )}
      ${shown('Labels', ui.label('bug', '#b3332a', 'A defect'), html``, ui.progress(3, 4, '3 of 4 closed'))}
      ${shown(
        'Filters',
        ui.filterBar(
          '/-/ui',
          html`${ui.searchField('Search', 'q', '')} ${ui.filterChoice('Sort', 'sort', 'two', choices)}`,
        ),
      )}
      ${shown(
        'Disclosures',
        ui.disclosure('Plain', html`<p>Opened</p>`),
        ui.disclosure('Button', html`<p>Opened</p>`, { kind: 'button' }),
        ui.sidePart('Assignees', undefined, html`<form method="get">${ui.button('Save')}</form>`),
        ui.sidePart('Labels', ui.label('bug', '#b3332a'), html`<form method="get">${ui.button('Save')}</form>`),
        ui.group('Visibility', 'Who can read it', ui.button('Change')),
        ui.typedDeletion({
          form: 'example',
          action: '/-/ui',
          noun: 'example',
          about: 'It cannot be restored.',
          typed: 'its name',
          refused: undefined,
        }),
      )}
      ${shown(
        'Diffs',
        await ui.diff(diffExamples('unified'), {
          view: 'unified',
          of: () => ({
            expand: '/-/ui',
            commentOn: () => '/-/ui',
            below: ({ newNo }) =>
              newNo === 3
                ? ui.comment({
                    id: 'line-comment',
                    author: 'bo',
                    head: ui.time(now, now),
                    body: html`<p>On a line</p>`,
                  })
                : undefined,
          }),
        }),
        await ui.diff(diffExamples('split'), { view: 'split' }),
      )}
      ${shown('Table', ui.table(['Name', 'State', ''], [['ada', ui.pill('active', 'good'), ui.button('Edit')]]))}
      ${shown('Empty', ui.empty('There is no issue yet', ui.linkButton('New issue', '/-/ui', { kind: 'primary' })))}`,
  });
