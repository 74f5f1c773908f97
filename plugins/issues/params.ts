// The access, path parameters and array pages that the routes of issues share.
import { maybe, pageQuery, pageRules, readPage, shape, word, type TypeOf } from 'hexforge/plugin';
import { issueAccess, issueReference } from 'hexforge/issues';

export const issuesPath = '/repos/{owner}/{repo}/issues';
export const { reading, writing, managing } = issueAccess;

/** The parameters of a path with an issue. */
export const issuePath = {
  owner: word(),
  repo: word(),
  number: word()
    .pattern(issueReference, 'number of an issue')
    .description('Alone, or after the issue code of the repository: 7, ABC-7'),
};
export const issueParams = shape(issuePath);

/** The query of a list that is returned as a plain JSON array. */
export const arrayQuery = shape({
  page: pageQuery.page,
  per_page: maybe(word().empty('').description('1 to 100; default 100')),
});

/** The requested page of such a list. */
export const arrayPage = (query: TypeOf<typeof arrayQuery>) => readPage(pageRules.orDefault(100), query);
