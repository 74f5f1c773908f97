// The pages of components and versions: the list with a form for a new one, and one of them with forms to change it.
import {
  day,
  flag,
  form,
  html,
  HtmlPage,
  type Joi,
  maybe,
  page,
  pageQuery,
  pageRules,
  readPage,
  shape,
  text,
  word,
  type Html,
  type HtmlPiece,
  type RefusedForm,
  type WebPage,
} from 'hexforge/plugin';
import { maxNamedDescription, maxNamedName, type Component, type Version } from 'hexforge/issues';
import {
  button,
  checkBox,
  checkTyped,
  disclosure,
  empty,
  field,
  formError,
  linkButton,
  list,
  pagination,
  pill,
  plural as counted,
  typedDeletion,
} from 'hexforge/ui';
import type { IssueUseCases } from '#core/issues/use-cases';
import { managing, reading } from '../params.ts';
import { issuesPath, navigation, within, withQuery, type PageParts } from './links.ts';

const members = {
  name: word().max(maxNamedName),
  description: maybe(text().replace(/\r\n?/g, '\n').max(maxNamedDescription)),
};

interface Noun<T, B> {
  readonly noun: 'component' | 'version';
  readonly plural: 'components' | 'versions';
  readonly title: string;
  /** The parameter of the list of issues. */
  readonly filter: string;
  readonly about: string;
  readonly body: Joi.ObjectSchema<B>;
  readonly shown: (one: T) => HtmlPiece;
  readonly controls: (one: T | undefined, refused: RefusedForm | undefined) => HtmlPiece;
  readonly create: (useCases: IssueUseCases, ...[granted, body]: [Creating, B]) => Promise<unknown>;
  readonly update: (useCases: IssueUseCases, ...[granted, id, body]: [Creating, string, B]) => Promise<unknown>;
}

type Creating = Parameters<IssueUseCases['components']['create']>[0];
type ComponentBody = { readonly name: string; readonly description?: string };
type VersionBody = ComponentBody & { readonly released?: boolean; readonly release_date?: string };

const versionMembers = ({ name, description = '', released = false, release_date }: VersionBody) => ({
  name,
  description,
  released,
  releaseDate: release_date ?? null,
});

const component: Noun<Component, ComponentBody> = {
  noun: 'component',
  plural: 'components',
  title: 'Components',
  filter: 'component',
  about: 'Components are the parts of the project that issues are about.',
  body: shape(members) as Joi.ObjectSchema<ComponentBody>,
  shown: () => undefined,
  controls: () => undefined,
  create: ({ components }, granted, { name, description = '' }) => components.create(granted, { name, description }),
  update: ({ components }, granted, id, { name, description = '' }) =>
    components.update(granted, { id, patch: { name, description } }),
};

const version: Noun<Version, VersionBody> = {
  noun: 'version',
  plural: 'versions',
  title: 'Versions',
  filter: 'fix_version',
  about: 'Issues occur in versions, and are fixed in versions.',
  body: shape({ ...members, released: maybe(flag()), release_date: maybe(day()) }) as Joi.ObjectSchema<VersionBody>,
  shown: ({ released, releaseDate }) =>
    html`${released ? pill('Released', 'good') : pill('Planned')} ${releaseDate !== null && ` ${releaseDate}`}`,
  controls: (one, refused) =>
    html`${field({ label: 'Release date', name: 'release_date', type: 'date', value: one?.releaseDate ?? '', refused })}
    ${checkBox({ label: 'Released', name: 'released', value: one?.released ?? false, refused })}`,
  create: ({ versions }, granted, body) => versions.create(granted, versionMembers(body)),
  update: ({ versions }, granted, id, body) => versions.update(granted, { id, patch: versionMembers(body) }),
};

function namedPages<T extends Component | Version, B>(
  parts: PageParts,
  { noun, plural, title, filter, about, body, shown, controls, create, update }: Noun<T, B>,
): readonly WebPage[] {
  const { useCases } = parts;
  const items = useCases[plural];
  const controlsOf = (one: T | undefined, refused: RefusedForm | undefined): Html =>
    html`${field({ label: 'Name', name: 'name', required: true, value: one?.name ?? '', refused })}
    ${field({ label: 'Description', name: 'description', value: one?.description ?? '', refused })}
    ${controls(one, refused)}`;
  const id = (what: string): string => `${noun}${what}`;
  return [
    page({
      id: id('ListPage'),
      summary: `The ${plural} of a repository`,
      place: 'repository',
      path: `/${plural}`,
      ...reading,
      query: shape({ page: pageQuery.page }),
      async run(_call, { granted, query, url, refused }) {
        const repository = granted.resource;
        const found = await items.list(granted, { ...readPage(pageRules.capped(), query), perPage: 50 });
        const mayWrite = granted.may('issue.write');
        const all = found.items as readonly T[];
        return new HtmlPage({
          title,
          width: 'wide',
          main: html`${navigation(repository, parts, plural)}
            <h1 class="skip">${title}</h1>
            ${
              mayWrite &&
              disclosure(
                `New ${noun}`,
                html`<form method="post" action="${within(repository, plural)}">
                  ${formError(refused, id('New'), 'name', 'description', 'release_date')}
                  ${controlsOf(undefined, refused)} ${button(`Create ${noun}`, { kind: 'primary' })}
                </form>`,
                { kind: 'button', open: refused !== undefined || found.total === 0 },
              )
            }
            ${
              all.length === 0
                ? empty(`There is no ${noun} yet`, about)
                : list(
                    all.map((one) => ({
                      title: html`<a href="${withQuery(issuesPath(repository), { [filter]: one.name, state: 'all' })}"
                          ><bdi>${one.name}</bdi></a
                        >
                        ${shown(one)}`,
                      about: one.description === '' ? undefined : html`<bdi>${one.description}</bdi>`,
                      end: mayWrite && html`<a href="${within(repository, `${plural}/${one.id}`)}">Edit</a>`,
                    })),
                    counted(found.total, noun),
                  )
            }
            ${pagination(url, found)}`,
        });
      },
      forms: [
        form({
          id: id('New'),
          summary: `Creates a ${noun}`,
          place: 'repository',
          path: `/${plural}`,
          ...managing,
          body,
          async run(_call, { granted, body: given }) {
            await create(useCases, granted, given);
            return within(granted.resource, plural);
          },
        }),
      ],
    }),
    page({
      id: id('EditPage'),
      summary: `Forms that change and delete a ${noun}`,
      place: 'repository',
      path: `/${plural}/{id}`,
      ...managing,
      async run(_call, { granted, params, refused }) {
        const repository = granted.resource;
        const one = (await items.fetch(granted, { id: params.id })) as T;
        const path = within(repository, `${plural}/${one.id}`);
        const edited = refused?.form === id('Edit') ? refused : undefined;
        return new HtmlPage({
          title: one.name,
          width: 'wide',
          main: html`${navigation(repository, parts, plural)}
            <h1><bdi>${one.name}</bdi></h1>
            <form class="texts" method="post" action="${path}">
              ${formError(edited, id('Edit'), 'name', 'description', 'release_date')} ${controlsOf(one, edited)}
              <p class="actions">
                ${button('Save', { kind: 'primary' })} ${linkButton('Cancel', within(repository, plural))}
              </p>
            </form>
            ${typedDeletion({
              form: id('Delete'),
              action: `${path}/delete`,
              noun,
              about: 'It is removed from all issues.',
              typed: 'its name',
              refused,
            })}`,
        });
      },
      forms: [
        form({
          id: id('Edit'),
          summary: `Changes a ${noun}`,
          place: 'repository',
          path: `/${plural}/{id}`,
          ...managing,
          body,
          async run(_call, { granted, params, body: given }) {
            await update(useCases, granted, params.id, given);
            return within(granted.resource, plural);
          },
        }),
        form({
          id: id('Delete'),
          summary: `Deletes a ${noun}`,
          place: 'repository',
          path: `/${plural}/{id}/delete`,
          ...managing,
          body: shape({ confirm: word() }),
          async run(_call, { granted, params, body: { confirm } }) {
            const which = { id: params.id };
            checkTyped(confirm, (await items.fetch(granted, which)).name, noun);
            await items.delete(granted, which);
            return within(granted.resource, plural);
          },
        }),
      ],
    }),
  ];
}

export const componentPages = (parts: PageParts): readonly WebPage[] => namedPages(parts, component);
export const versionPages = (parts: PageParts): readonly WebPage[] => namedPages(parts, version);
