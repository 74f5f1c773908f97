// The JSON shapes of repositories.
import {
  count,
  flag,
  Joi,
  list,
  maybe,
  oneOf,
  pageQuery,
  shape,
  text,
  time,
  uuid,
  word,
  type TypeOf,
} from 'hexforge/plugin';
import { repositorySorts, visibilities } from 'hexforge/repositories';

/** The filters that the page has too. */
export const repositoryFilters = {
  involved: flag()
    .empty('')
    .default(false)
    .description('Only those that the caller owns, collaborates on or watches; at most 100'),
  visibility: maybe(oneOf(...visibilities).empty('')),
  q: maybe(
    text().empty('').max(200).description('Words, each a part of `owner/name` or the description; at most 8 count'),
  ),
  sort: maybe(
    oneOf(...repositorySorts)
      .empty('')
      .description('Most recently updated (the default), newest, or by name'),
  ),
  page: pageQuery.page,
};

export const repositoryListQuery = shape({
  mine: flag().empty('').default(false).description("Only the caller's own; at most 100"),
  owner: maybe(word().empty('').description("One owner's; at most 50")),
  ...repositoryFilters,
  per_page: maybe(word().empty('').description('At most 50, or 100 of `mine` and `involved`; default the most')),
});

const written = {
  description: maybe(text().max(1000)),
  visibility: maybe(oneOf(...visibilities)),
  is_private: maybe(
    flag().strict().description('Deprecated: true is private, false public; ignored beside visibility'),
  ),
  default_branch: maybe(word().max(255)),
};

export const repositoryBody = shape({
  ...written,
  name: word(),
  owner: maybe(word().description('Another owner: instance administrators only')),
}).id('RepositoryCreate');

export const repositoryChangeBody = shape({
  ...written,
  name: maybe(word()),
  issue_code: maybe(text().description('2 to 10 uppercase alphanumerics beginning with a letter; empty clears it')),
}).id('RepositoryUpdate');

/** The additional member of the 409 of a rename to a name in use. */
export const nameInUse = shape({ existing_repo_id: maybe(uuid()) });

export const repositoryDeletionBody = shape({ confirmation: word().description('owner/name, to the letter') }).id(
  'RepositoryDelete',
);

const item = {
  id: uuid(),
  owner: text(),
  owner_id: uuid(),
  name: text(),
  description: text(),
  is_private: flag(),
  visibility: oneOf(...visibilities),
  default_branch: text(),
  clone_url_http: Joi.string().uri(),
  clone_url_ssh: text().description('Empty where the instance serves no SSH'),
  created_at: time(),
  updated_at: time(),
};
export const repositoryItemJson = shape(item).id('RepositoryItem');
export type RepositoryItemJson = TypeOf<typeof repositoryItemJson>;

export const repositoryListJson = list(repositoryItemJson);

export const repositoryJson = shape({
  ...item,
  issue_code: text(),
  stars_count: count(),
  forks_count: count(),
  watchers_count: count(),
  open_issues_count: count(),
  open_prs_count: count(),
  starred: flag(),
  watching: flag(),
}).id('Repository');
export type RepositoryJson = TypeOf<typeof repositoryJson>;
