// The pages of labels: the list with a form for a new one, and one label with forms to change it.
import {
  form,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  text,
  word,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { maxLabelDescription, maxLabelName, type Label } from 'hexforge/planning';
import {
  button,
  checkTyped,
  disclosure,
  empty,
  field,
  formError,
  label,
  linkButton,
  list,
  plural,
  typedDeletion,
} from 'hexforge/ui';
import { reading, writing } from '../labels/routes.ts';
import { navigation, within, type PageParts } from './links.ts';

const labelForm = shape({
  name: word().max(maxLabelName),
  color: word().pattern(/^#?[0-9A-Fa-f]{6}$/, 'colour of six hexadecimal digits'),
  description: maybe(text().max(maxLabelDescription)),
});
const wish = ({ name, color, description = '' }: { name: string; color: string; description?: string }) => ({
  name,
  color: color.replace('#', ''),
  description,
});

const controls = (one: Label | undefined, refused: RefusedForm | undefined): Html =>
  html`${field({ label: 'Name', name: 'name', required: true, value: one?.name, refused })}
  ${field({
    label: 'Colour',
    name: 'color',
    required: true,
    value: one?.color ?? '6e7781',
    hint: 'Six hexadecimal digits, such as d73a4a',
    refused,
  })}
  ${field({ label: 'Description', name: 'description', value: one?.description ?? '', refused })}`;

export const labelPages = (parts: PageParts): readonly WebPage[] => [
  page({
    id: 'labelListPage',
    summary: 'The labels of a repository',
    place: 'repository',
    path: '/labels',
    ...reading,
    async run(_call, { granted, refused }) {
      const repository = granted.resource;
      const all = await parts.labels.list(granted);
      const mayWrite = granted.may('label.create');
      const pages = parts.issuePages();
      const shown = ({ name, color }: Label): Html =>
        pages === undefined
          ? label(name, color)
          : html`<a class="bare" href="${within(repository, pages.list({ label: name }))}">${label(name, color)}</a>`;
      return new HtmlPage({
        title: 'Labels',
        width: 'wide',
        main: html`${navigation(repository, parts, 'labels')}
          <h1 class="skip">Labels</h1>
          ${
            mayWrite &&
            disclosure(
              'New label',
              html`<form method="post" action="${within(repository, 'labels')}">
                ${formError(refused, 'labelNew', 'name', 'color', 'description')} ${controls(undefined, refused)}
                ${button('Create label', { kind: 'primary' })}
              </form>`,
              { kind: 'button', open: refused !== undefined },
            )
          }
          ${
            all.length === 0
              ? empty('There is no label yet', 'Labels sort issues and merge requests by any subject.')
              : list(
                  all.map((one) => ({
                    title: shown(one),
                    about: one.description === null ? undefined : html`<bdi>${one.description}</bdi>`,
                    end: mayWrite && html`<a href="${within(repository, `labels/${one.id}`)}">Edit</a>`,
                  })),
                  plural(all.length, 'label'),
                )
          }`,
      });
    },
    forms: [
      form({
        id: 'labelNew',
        summary: 'Creates a label',
        place: 'repository',
        path: '/labels',
        ...writing,
        body: labelForm,
        async run(_call, { granted, body }) {
          await parts.labels.create(granted, wish(body));
          return within(granted.resource, 'labels');
        },
      }),
    ],
  }),
  page({
    id: 'labelEditPage',
    summary: 'Forms that change and delete a label',
    place: 'repository',
    path: '/labels/{id}',
    ...writing,
    async run(_call, { granted, params, refused }) {
      const repository = granted.resource;
      const one = await parts.labels.fetch(granted, { id: params.id });
      const path = within(repository, `labels/${one.id}`);
      const edited = refused?.form === 'labelEdit' ? refused : undefined;
      return new HtmlPage({
        title: one.name,
        width: 'wide',
        main: html`${navigation(repository, parts, 'labels')}
          <h1>Edit ${label(one.name, one.color)}</h1>
          <form class="texts" method="post" action="${path}">
            ${formError(edited, 'labelEdit', 'name', 'color', 'description')} ${controls(one, edited)}
            <p class="actions">
              ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', within(repository, 'labels'))}
            </p>
          </form>
          ${typedDeletion({
            form: 'labelDelete',
            action: `${path}/delete`,
            noun: 'label',
            about: 'It is removed from all issues and merge requests.',
            typed: 'its name',
            refused,
          })}`,
      });
    },
    forms: [
      form({
        id: 'labelEdit',
        summary: 'Changes a label',
        place: 'repository',
        path: '/labels/{id}',
        ...writing,
        body: labelForm,
        async run(_call, { granted, params, body }) {
          await parts.labels.update(granted, { id: params.id, ...wish(body) });
          return within(granted.resource, 'labels');
        },
      }),
      form({
        id: 'labelDelete',
        summary: 'Deletes a label',
        place: 'repository',
        path: '/labels/{id}/delete',
        ...writing,
        body: shape({ confirm: word() }),
        async run(_call, { granted, params, body: { confirm } }) {
          const which = { id: params.id };
          checkTyped(confirm, (await parts.labels.fetch(granted, which)).name, 'label');
          await parts.labels.delete(granted, which);
          return within(granted.resource, 'labels');
        },
      }),
    ],
  }),
];
