// The page of a repository's settings with the issue types that it uses, in its order.
import { changes, form, html, HtmlPage, oneOf, page, shape, uuid, type Html, type WebPage } from 'hexforge/plugin';
import type { IssueType } from 'hexforge/issues';
import { empty, formError, label, list } from 'hexforge/ui';
import { within, type PageParts } from './links.ts';

const administering = { access: changes('repository', 'repo.admin'), scope: 'repo.admin' } as const;
const path = '/settings/issue-types';

/** The ids of the scheme after the button of a type was pressed. */
const moves = {
  add: (scheme: readonly string[], id: string) => [...scheme.filter((one) => one !== id), id],
  remove: (scheme: readonly string[], id: string) => scheme.filter((one) => one !== id),
  up: (scheme: readonly string[], id: string) => swapped(scheme, scheme.indexOf(id) - 1),
  down: (scheme: readonly string[], id: string) => swapped(scheme, scheme.indexOf(id)),
} as const;

/** Exchanges an id with the next one, if both exist. */
function swapped(ids: readonly string[], at: number): readonly string[] {
  const [one, next] = [ids[at], ids[at + 1]];
  return one === undefined || next === undefined ? ids : ids.with(at, next).with(at + 1, one);
}

export const schemePage = ({ useCases }: PageParts): WebPage =>
  page({
    id: 'issueTypeSchemePage',
    summary: 'The issue types that a repository uses',
    place: 'repository',
    path,
    ...administering,
    async run(call, { granted, refused }) {
      const action = within(granted.resource, path.slice(1));
      const [scheme, all] = await Promise.all([useCases.typeScheme.fetch(granted), useCases.types.list(call)]);
      const rest = all.filter(({ id }) => scheme.every((one) => one.id !== id));
      const rows = (types: readonly IssueType[], buttons: readonly (readonly [keyof typeof moves, string])[]): Html =>
        list(
          types.map(({ id, displayName, color, description }) => ({
            title: label(displayName, color),
            about: html`<bdi>${description}</bdi>`,
            end: html`<form class="actions" method="post" action="${action}">
              <input type="hidden" name="type" value="${id}" />
              ${buttons.map(
                ([move, title]) =>
                  html`<button class="button small" name="move" value="${move}" aria-label="${title} ${displayName}">
                    ${title}
                  </button>`,
              )}
            </form>`,
          })),
        );
      return new HtmlPage({
        title: 'Issue types',
        width: 'wide',
        main: html`<h1>Issue types</h1>
          <p class="muted">New issues have one of these types, offered in this order. Issues keep a removed type.</p>
          ${formError(refused, 'issueTypeScheme')}
          <h2>Used by this repository</h2>
          ${
            scheme.length === 0
              ? empty('Every type is allowed', 'Add types to allow only these.')
              : rows(scheme, [
                  ['up', 'Up'],
                  ['down', 'Down'],
                  ['remove', 'Remove'],
                ])
          }
          ${
            rest.length > 0 &&
            html`<h2 class="later">Other types of this instance</h2>
              ${rows(rest, [['add', 'Add']])}`
          }`,
      });
    },
    forms: [
      form({
        id: 'issueTypeScheme',
        summary: 'Adds a type to those of a repository, removes or moves it',
        place: 'repository',
        path,
        ...administering,
        body: shape({ type: uuid(), move: oneOf('add', 'remove', 'up', 'down') }),
        async run(_call, { granted, body: { type, move } }) {
          const before = (await useCases.typeScheme.fetch(granted)).map(({ id }) => id);
          await useCases.typeScheme.replace(granted, { typeIds: moves[move](before, type) });
          return within(granted.resource, path.slice(1));
        },
      }),
    ],
  });
