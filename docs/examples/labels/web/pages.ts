// The pages of labels: a page with a form, a tab with a count, a menu entry, a card of the dashboard, and a panel.
import {
  anyone,
  changes,
  form,
  html,
  HtmlPage,
  page,
  reads,
  type DashboardCard,
  type Html,
  type MenuEntry,
  type RepositoryTab,
  type SidePanel,
  type WebPage,
} from 'hexforge/plugin';
import { button, empty, field, formError, label, list } from 'hexforge/ui';
import type { LabelUseCases, ReadableLabel } from '../labels.ts';
import { labelBody } from '../schemas.ts';

/** The most labels of a page. */
const most = 100;
const pathOf = ({ owner, name }: ReadableLabel['repository']) => `/${owner}/${name}/-/x/labels/all`;

const ofAll = (found: readonly ReadableLabel[]): Html =>
  list(
    found.map(({ label: { name, color }, repository }) => ({
      title: label(name, color),
      end: html`<a href="${pathOf(repository)}"><bdi>${repository.owner}/${repository.name}</bdi></a>`,
    })),
  );

export const labelPages = (labels: LabelUseCases): readonly WebPage[] => [
  page({
    id: 'labelsPage',
    summary: 'The labels of a repository',
    place: 'repository',
    path: '/all',
    access: reads('repository', 'repo.read'),
    scope: 'repo.read',
    async run(_call, { granted, refused }) {
      const { items } = await labels.list(granted, { page: 1, perPage: most });
      const { owner, name } = granted.resource;
      const shown = items.map((one) => ({ title: label(one.name, one.color) }));
      return new HtmlPage({
        title: 'Labels',
        width: 'wide',
        main: html`<h1>Labels</h1>
          ${items.length === 0 ? empty('There is no label yet') : list(shown)}
          ${
            granted.may('repo.write') &&
            html`${formError(refused, 'labelsAdd', 'name', 'color')}
              <form method="post" action="/${owner}/${name}/-/x/labels/add">
                ${field({ label: 'Name', name: 'name', required: true, refused })}
                ${field({ label: 'Colour', name: 'color', value: '#3f4fc4', refused })}
                ${button('Add', { kind: 'primary' })}
              </form>`
          }`,
      });
    },
    forms: [
      form({
        id: 'labelsAdd',
        summary: 'Adds a label to a repository',
        place: 'repository',
        path: '/add',
        access: changes('repository', 'repo.write'),
        scope: 'repo.write',
        body: labelBody,
        async run(_call, { granted, body }) {
          await labels.create(granted, body);
          return pathOf(granted.resource);
        },
      }),
    ],
  }),
  page({
    id: 'labelsOfAll',
    summary: 'The labels of the repositories that the caller can read',
    path: '/all',
    access: anyone,
    scope: 'repo.read',
    async run(call) {
      const main = html`<h1>Labels</h1>
        ${ofAll(await labels.readable(call, most))}`;
      return new HtmlPage({ title: 'Labels', width: 'wide', main });
    },
  }),
];

export const labelTabs = (labels: LabelUseCases): readonly RepositoryTab[] => [
  { id: 'example-labels', title: 'Labels', path: '/all', permission: 'repo.read', order: 80, count: labels.count },
];

export const labelMenu: readonly MenuEntry[] = [
  { id: 'example-labels', title: 'Labels', path: '/-/x/labels/all', menu: 'instance', access: anyone },
];

export const labelCards = (labels: LabelUseCases): readonly DashboardCard[] => [
  {
    id: 'example-labels',
    title: 'Labels',
    async run(call) {
      const found = await labels.readable(call, 5);
      return found.length === 0 ? undefined : ofAll(found);
    },
  },
];

export const labelPanels = (labels: LabelUseCases): readonly SidePanel[] => [
  {
    id: 'example-labels',
    title: 'Labels',
    on: 'repository',
    async run(_call, { repositoryId }) {
      const found = await labels.some(repositoryId, 20);
      return found.length === 0 ? undefined : html`${found.map(({ name, color }) => html`${label(name, color)} `)}`;
    },
  },
];
