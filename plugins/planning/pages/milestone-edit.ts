// The page with the forms that change and delete a milestone.
import { form, html, HtmlPage, page, shape, word, type WebPage } from 'hexforge/plugin';
import { button, checkTyped, formError, linkButton, typedDeletion } from 'hexforge/ui';
import { writing } from '../milestones/routes.ts';
import { milestonePath, navigation, within, type PageParts } from './links.ts';
import { milestoneControls, milestoneWish } from './milestones.ts';

export const milestoneEditPage = (parts: PageParts): WebPage =>
  page({
    id: 'milestoneEditPage',
    summary: 'Forms that change and delete a milestone',
    place: 'repository',
    path: '/milestones/{id}/edit',
    ...writing,
    async run(_call, { granted, params, refused }) {
      const repository = granted.resource;
      const one = await parts.milestones.fetch(granted, { id: params.id });
      const edited = refused?.form === 'milestoneEdit' ? refused : undefined;
      return new HtmlPage({
        title: `Edit ${one.title}`,
        width: 'wide',
        main: html`${navigation(repository, parts, 'milestones')}
          <h1>Edit <bdi>${one.title}</bdi></h1>
          <form class="texts" method="post" action="${milestonePath(repository, one, '/edit')}">
            ${formError(edited, 'milestoneEdit', 'title', 'description', 'due_date')} ${milestoneControls(one, edited)}
            <p class="actions">
              ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', milestonePath(repository, one))}
            </p>
          </form>
          ${typedDeletion({
            form: 'milestoneDelete',
            action: milestonePath(repository, one, '/delete'),
            noun: 'milestone',
            about: 'Its issues and merge requests stay, without a milestone.',
            typed: 'its title',
            refused,
          })}`,
      });
    },
    forms: [
      form({
        id: 'milestoneEdit',
        summary: 'Changes a milestone',
        place: 'repository',
        path: '/milestones/{id}/edit',
        ...writing,
        body: milestoneWish.body,
        async run(_call, { granted, params, body }) {
          const change = { id: params.id, ...milestoneWish.read(body) };
          return milestonePath(granted.resource, await parts.milestones.update(granted, change));
        },
      }),
      form({
        id: 'milestoneDelete',
        summary: 'Deletes a milestone',
        place: 'repository',
        path: '/milestones/{id}/delete',
        ...writing,
        body: shape({ confirm: word() }),
        async run(_call, { granted, params, body: { confirm } }) {
          const which = { id: params.id };
          checkTyped(confirm, (await parts.milestones.fetch(granted, which)).title, 'milestone');
          await parts.milestones.delete(granted, which);
          return within(granted.resource, 'milestones');
        },
      }),
    ],
  });
