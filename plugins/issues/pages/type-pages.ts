// The administration of issue types: the catalogue with a form for a new type, and one type.
import {
  count,
  flag,
  form,
  html,
  HtmlPage,
  maybe,
  page,
  shape,
  superAdmin,
  text,
  word,
  type Html,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { isBuiltIn, type IssueType } from 'hexforge/issues';
import {
  button,
  checkBox,
  checkTyped,
  disclosure,
  field,
  formError,
  label,
  linkButton,
  list,
  pill,
  typedDeletion,
} from 'hexforge/ui';
import type { PageParts } from './links.ts';

const administered = { access: superAdmin, scope: 'admin.system' } as const;
export const typesPath = '/-/admin/issue-types';
const fields = ['name', 'display_name', 'color', 'description', 'icon_name', 'position'];

const changeable = {
  display_name: word().max(100),
  color: word().pattern(/^#?[0-9a-fA-F]{6}$/, 'six hex digits'),
  description: maybe(text().max(1000)),
  icon_name: maybe(text().max(64)),
  position: maybe(count().max(1_000_000)),
};
const newType = shape({ name: word().max(64), is_subtask: maybe(flag()), ...changeable });
const changedType = shape(changeable);

const digits = (color: string): string => color.replace('#', '');

function controls(one: IssueType | undefined, refused: RefusedForm | undefined): Html {
  const of = refused === undefined ? {} : { refused };
  return html`${field({ label: 'Display name', name: 'display_name', required: true, value: one?.displayName, ...of })}
  ${field({ label: 'Colour', name: 'color', required: true, value: one?.color ?? '6e7781', hint: 'Six hexadecimal digits', ...of })}
  ${field({ label: 'Description', name: 'description', value: one?.description, ...of })}
  ${field({ label: 'Icon', name: 'icon_name', value: one?.icon, hint: 'A name for other clients', ...of })}
  ${field({ label: 'Position', name: 'position', type: 'number', value: one?.position.toString(), hint: 'Lists are in this order', ...of })}`;
}

export const typePages = ({ useCases: { types } }: PageParts): readonly WebPage[] => [
  page({
    id: 'issueTypeListPage',
    summary: 'The issue types of the instance',
    path: '/admin/issue-types',
    ...administered,
    async run(call, { refused }) {
      const all = await types.list(call);
      return new HtmlPage({
        title: 'Issue types',
        width: 'wide',
        main: html`<h1>Issue types</h1>
          ${disclosure(
            'New issue type',
            html`<form method="post" action="${typesPath}">
              ${formError(refused, 'issueTypeNew', ...fields)}
              ${field({ label: 'Name', name: 'name', required: true, hint: 'Never changes; lower case', refused })}
              ${controls(undefined, refused)}
              ${checkBox({ label: 'Sub-task', name: 'is_subtask', hint: 'Issues of this type have no sub-issues', refused })}
              ${button('Create issue type', { kind: 'primary' })}
            </form>`,
            { kind: 'button', open: refused !== undefined },
          )}
          ${list(
            all.map((type) => ({
              title: html`${label(type.displayName, type.color)} ${type.isSubtask && pill('Sub-task')}`,
              about: html`<code>${type.name}</code> <bdi>${type.description}</bdi>`,
              end: html`<a href="${typesPath}/${type.id}">Edit</a>`,
            })),
            `${all.length} types`,
          )}`,
      });
    },
    forms: [
      form({
        id: 'issueTypeNew',
        summary: 'Creates an issue type',
        path: '/admin/issue-types',
        ...administered,
        body: newType,
        async run(call, { body }) {
          await types.create(call, {
            name: body.name,
            displayName: body.display_name,
            color: digits(body.color),
            description: body.description ?? '',
            icon: body.icon_name ?? '',
            isSubtask: body.is_subtask ?? false,
            ...(body.position !== undefined && { position: body.position }),
          });
          return typesPath;
        },
      }),
    ],
  }),
  page({
    id: 'issueTypeEditPage',
    summary: 'Forms that change and delete an issue type',
    path: '/admin/issue-types/{id}',
    ...administered,
    async run(call, { params, refused }) {
      const type = await types.fetch(call, { id: params.id });
      const path = `${typesPath}/${type.id}`;
      const edited = refused?.form === 'issueTypeEdit' ? refused : undefined;
      return new HtmlPage({
        title: type.displayName,
        width: 'wide',
        main: html`<h1><bdi>${type.displayName}</bdi></h1>
          <p class="muted">Its name is <code>${type.name}</code>.</p>
          <form class="texts" method="post" action="${path}">
            ${formError(edited, 'issueTypeEdit', ...fields)} ${controls(type, edited)}
            <p class="actions">${button('Save', { kind: 'primary' })} ${linkButton('Cancel', typesPath)}</p>
          </form>
          ${
            !isBuiltIn(type) &&
            typedDeletion({
              form: 'issueTypeDelete',
              action: `${path}/delete`,
              noun: 'issue type',
              about: 'Only a type that no issue has can be deleted.',
              typed: type.name,
              refused,
            })
          }`,
      });
    },
    forms: [
      form({
        id: 'issueTypeEdit',
        summary: 'Changes an issue type',
        path: '/admin/issue-types/{id}',
        ...administered,
        body: changedType,
        async run(call, { params, body }) {
          await types.update(call, {
            id: params.id,
            displayName: body.display_name,
            color: digits(body.color),
            description: body.description ?? '',
            icon: body.icon_name ?? '',
            ...(body.position !== undefined && { position: body.position }),
          });
          return typesPath;
        },
      }),
      form({
        id: 'issueTypeDelete',
        summary: 'Deletes an issue type that no issue has',
        path: '/admin/issue-types/{id}/delete',
        ...administered,
        body: shape({ confirm: word() }),
        async run(call, { params, body: { confirm } }) {
          const type = await types.fetch(call, { id: params.id });
          checkTyped(confirm, type.name, 'issue type');
          await types.delete(call, { id: type.id });
          return typesPath;
        },
      }),
    ],
  }),
];
