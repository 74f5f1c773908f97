// The pages of tags: the list with downloads, and the question before deletion.
import { form, html, HtmlPage, maybe, page, pageQuery, pageRules, readPage, shape, word } from 'hexforge/plugin';
import type { Html, RefusedForm, WebPage } from 'hexforge/plugin';
import type { Repository } from 'hexforge/repositories';
import {
  button,
  copyField,
  disclosure,
  empty,
  field,
  filterBar,
  formError,
  list,
  pagination,
  searchField,
  textArea,
  time,
} from 'hexforge/ui';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { confirmation } from '../pages/confirm.ts';
import { asContent } from '../pages/forms.ts';
import { archivePath, commitPath, encoded, otherRefPath, shownPath, tagsPath, within } from '../pages/links.ts';
import { chosenFor, shownFields, shownIn, shownQuery } from '../pages/other-ref.ts';
import { reading, writing } from '../shapes.ts';
import { tagBody } from './schemas.ts';

const writes = { place: 'repository', ...writing } as const;

const tagListQuery = shape({ ...pageQuery, ...shownQuery, search: maybe(word().empty('').max(255)) });

const deletePath = (repository: Repository, name: string): string => within(repository, `delete-tag/${encoded(name)}`);

const tagCommands = copyField({
  id: 'tag-commands',
  label: 'Commands for the first tag',
  value: 'git tag v1.0.0\ngit push origin v1.0.0',
  hidesLabel: true,
});

const newTag = (repository: Repository, refused: RefusedForm | undefined): Html =>
  disclosure(
    'New tag',
    html`<form class="form" method="post" action="${tagsPath(repository)}">
      ${formError(refused, 'repositoryTagCreate', 'name', 'ref', 'message')}
      ${field({ label: 'Name', name: 'name', placeholder: 'v1.0.0', required: true, autocomplete: 'off', refused })}
      ${field({
        label: 'On',
        name: 'ref',
        value: repository.defaultBranch,
        hint: 'A branch, tag or commit',
        required: true,
        refused,
      })}
      ${textArea({
        label: 'Message',
        name: 'message',
        rows: 3,
        hint: 'Optional. With a message the tag also has your name and the date.',
        refused,
      })}
      ${button('Create tag', { kind: 'primary' })}
    </form>`,
    { kind: 'button', open: refused !== undefined },
  );

export const tagPages = (useCases: RepositoryUseCases): readonly WebPage[] => [
  page({
    id: 'repositoryTags',
    summary: 'The tags, each with its archives',
    place: 'repository',
    path: '/tags',
    ...reading,
    query: tagListQuery,
    async run({ now }, { granted, query: { search, show, path, ...query }, url, refused }) {
      const repository = granted.resource;
      const shown = shownIn({ show, path });
      const writable = granted.may('repo.write');
      const request = readPage(pageRules.capped(), query);
      const found = await (await useCases.tags(granted, { ...request, search })).read();
      const rows = found.items.map(({ name, oid, annotation }) => ({
        title: html`<a href="${shownPath(repository, name, shown)}"><bdi>${name}</bdi></a>`,
        about: html`<a href="${commitPath(repository, oid)}"><code>${oid.slice(0, 7)}</code></a>
          ${annotation?.tagger !== undefined && time(annotation.tagger.date, now)}
          ${annotation !== undefined && html`· <bdi>${annotation.message.split('\n', 1)[0]}</bdi>`}`,
        end: html`<span class="apart">
          <a href="${archivePath(repository, name, 'zip')}" rel="nofollow" aria-label="${name} as .zip">.zip</a>
          <a href="${archivePath(repository, name, 'tar.gz')}" rel="nofollow" aria-label="${name} as .tar.gz"
            >.tar.gz</a
          >
          ${writable && html`<a href="${deletePath(repository, name)}" aria-label="Delete ${name}">Delete</a>`}
        </span>`,
      }));
      return new HtmlPage({
        title: 'Tags',
        width: 'wide',
        main: html`<h1 class="skip">Tags</h1>
          ${chosenFor(repository, shown, 'tags')}
          ${filterBar(
            tagsPath(repository),
            [shownFields(shown), searchField('Find a tag', 'search', search ?? '')],
            writable && newTag(repository, refused),
          )}
          ${
            rows.length > 0
              ? list(rows)
              : search === undefined
                ? empty('There is no tag yet', writable && tagCommands)
                : empty(
                    'No tag has this in its name',
                    html`<a href="${otherRefPath(repository, 'tags', shown)}">All tags</a>`,
                  )
          }
          ${pagination(url, { ...request, total: found.total })}`,
      });
    },
    forms: [
      form({
        ...writes,
        id: 'repositoryTagCreate',
        summary: 'Creates a tag',
        path: '/tags',
        body: tagBody,
        async run(_call, { granted, body }) {
          const message = body.message?.replaceAll('\r\n', '\n');
          await asContent(() => useCases.createTag(granted, { ...body, message }));
          return tagsPath(granted.resource);
        },
      }),
    ],
  }),
  page({
    ...writes,
    id: 'repositoryTagDelete',
    summary: 'Asks whether to delete a tag',
    path: '/delete-tag/{tag*}',
    run: (_call, { granted: { resource }, params: { tag: name }, refused }) =>
      confirmation({
        title: html`Delete the tag <bdi>${name}</bdi>?`,
        pageTitle: `Delete ${name}`,
        about: 'Those who have fetched it keep it.',
        action: deletePath(resource, name),
        label: 'Delete tag',
        cancel: tagsPath(resource),
        refused,
      }),
    forms: [
      form({
        ...writes,
        id: 'repositoryTagDeleteForm',
        summary: 'Deletes a tag',
        path: '/delete-tag/{tag*}',
        body: shape({}),
        async run(_call, { granted, params: { tag: name } }) {
          await asContent(() => useCases.deleteTag(granted, { name }));
          return tagsPath(granted.resource);
        },
      }),
    ],
  }),
];
