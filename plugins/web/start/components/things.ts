// Examples of components that show things.
import { html } from 'hexforge/plugin';
import * as ui from '../../ui/index.ts';
import { bidiName, longText, together, type Examples } from './example.ts';

type Names =
  | 'avatar'
  | 'person'
  | 'time'
  | 'icon'
  | 'pill'
  | 'statePill'
  | 'label'
  | 'progress'
  | 'tabs'
  | 'menu'
  | 'menuLink'
  | 'list'
  | 'empty'
  | 'facts'
  | 'commitRow'
  | 'table'
  | 'pagination'
  | 'disclosure'
  | 'sidePart'
  | 'group'
  | 'timeline'
  | 'comment'
  | 'commented'
  | 'change';

const here = '/-/ui';
const link = (text: string) => html`<a href="${here}"><bdi>${text}</bdi></a>`;
const tones = ['neutral', 'good', 'bad', 'warning', 'merged', 'accent'] as const;
const icons = [
  'folder',
  'file',
  'link',
  'submodule',
  'branch',
  'comment',
  'lock',
  'fork',
] as const satisfies ui.IconName[];

export const things = (now: Date, url: string): Examples<Names> => ({
  avatar: {
    'two sizes': together(ui.avatar('ada'), ui.avatar('ada', 'large')),
    colours: together(...['bo', 'cleo', 'dan', 'eve', 'fay', 'gus'].map((name) => ui.avatar(name))),
  },
  person: { 'a name': ui.person('ada'), 'a name from right to left': ui.person(bidiName), long: ui.person(longText) },
  time: {
    past: together(
      ...[0, 90, 7200, 90_000, 1_000_000, 100_000_000].map((seconds) => ui.time(before(now, seconds), now)),
    ),
    future: ui.time(before(now, -90_000), now),
    'not a date': [ui.time(new Date(Number.NaN), now), html`<span class="quiet">Shows nothing</span>`],
  },
  icon: { all: together(...icons.map((name) => ui.icon(name, name))) },
  pill: { tones: together(...tones.map((tone) => ui.pill(tone, tone))), long: ui.pill(longText) },
  statePill: { states: together(...(['open', 'closed', 'merged'] as const).map((state) => ui.statePill(state))) },
  label: {
    colours: together(
      ui.label('bug', '#b3332a', 'A defect'),
      ui.label('idea', '3f4fc4'),
      ui.label('none', 'no colour'),
    ),
    'a name from right to left': ui.label(bidiName, '#177245'),
    long: ui.label(longText, '#8f5a00'),
  },
  progress: {
    none: ui.progress(0, 0, 'no issues'),
    some: ui.progress(3, 4, '3 of 4 closed'),
    all: ui.progress(4, 4, '4 of 4 closed'),
  },
  tabs: {
    'a row': ui.tabs('Example', [
      { title: 'Code', href: here, current: true },
      { title: 'Issues', href: '/-/keys', count: 42, current: false },
      { title: 'Empty', href: '/-/keys', count: 0, current: false },
    ]),
    'a section': ui.tabs('Example section', [{ title: 'General', href: here, current: true }], 'section'),
  },
  menu: {
    closed: ui.menu('Menu', [
      ui.menuLink({ title: 'First', href: here }),
      ui.menuLink({ title: longText, href: here }),
    ]),
    'without a text': ui.menu('…', [ui.menuLink({ title: 'Edit', href: here })], 'Actions'),
  },
  menuLink: { alone: ui.menuLink({ title: 'First', href: here }) },
  list: {
    rows: ui.list(
      [
        { mark: ui.icon('folder'), title: link('core'), about: 'Rules', end: '2 h' },
        { mark: ui.icon('file'), title: link(longText), about: longText, end: '3 d' },
        { title: link(bidiName) },
      ],
      'Three of three',
    ),
  },
  facts: {
    rows: ui.facts([['Owner', ui.person(bidiName)], ['Address', longText], undefined]),
  },
  commitRow: {
    'with a page': ui.list([ui.commitRow(commit('Add the engine', 'ada', now), now, here)]),
    'long, without a page': ui.list([ui.commitRow(commit(longText, bidiName, now), now)]),
  },
  empty: {
    'with the next step': ui.empty('There is no issue yet', ui.linkButton('New issue', here, { kind: 'primary' })),
    alone: ui.empty('There is nothing'),
  },
  table: {
    rows: ui.table(
      ['Name', 'State', ''],
      [
        [link('ada'), ui.pill('active', 'good'), ui.button('Edit')],
        [link(bidiName), ui.pill('suspended', 'bad'), ui.button('Edit')],
        [link(longText), '', ''],
      ],
    ),
  },
  pagination: {
    'with a total': ui.pagination(url, { page: 2, perPage: 25, total: 70 }),
    'a page': [ui.pagination(url, { page: 1, perPage: 25, total: 3 }), html`<span class="quiet">Shows nothing</span>`],
  },
  disclosure: {
    plain: ui.disclosure('Plain', html`<p>Opened</p>`),
    'as a button': ui.disclosure('Button', html`<p>Opened</p>`, { kind: 'button' }),
    open: ui.disclosure('Open', html`<p>${longText}</p>`, { open: true }),
  },
  sidePart: {
    'with a form': ui.sidePart('Labels', 'None yet', html`<form method="get">${ui.button('Save')}</form>`),
    alone: ui.sidePart('People', ui.person(bidiName)),
  },
  group: { 'with an explanation': ui.group('Visibility', 'Who can read it', ui.button('Change')) },
  timeline: {
    'comments and changes': ui.timeline([
      ui.comment({ id: 'comment-first', author: 'ada', head: ui.time(now, now), body: html`<p>A comment</p>` }),
      ui.change(ui.icon('branch'), html`${ui.person('bo')} pushed 2 commits`),
    ]),
  },
  comment: {
    'with a menu': ui.comment({
      id: 'comment-1',
      author: bidiName,
      head: ui.time(now, now),
      actions: ui.menu('…', [ui.menuLink({ title: 'Edit', href: here })], 'Actions of the comment'),
      body: html`<p>${longText}</p>`,
    }),
  },
  commented: { 'with its time': ui.commented({ id: '1', createdAt: now, updatedAt: now }, now) },
  change: { 'a line': ui.change(ui.icon('branch'), html`${ui.person('bo')} renamed ${longText}`) },
});

const before = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000);

const commit = (message: string, name: string, date: Date): ui.ShownCommit => ({
  oid: 'c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee',
  message,
  author: { name },
  committer: { date },
});
