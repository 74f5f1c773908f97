// The access, path parameters and array pages that the routes of issues share.
import { changes, maybe, pageQuery, pageRules, readPage, reads, shape, word, type TypeOf } from 'hexforge/plugin';
import { issueReference } from 'hexforge/issues';

export const issuesPath = '/repos/{owner}/{repo}/issues';
export const reading = { access: reads('repository', 'issue.read'), scope: 'issue.read' } as const;
/** Requires a user who may read. The use case checks further rights, because they depend on the author. */
export const writing = { access: changes('repository', 'issue.read'), scope: 'issue.write' } as const;
/** Requires the permission to write to any issue. */
export const managing = { access: changes('repository', 'issue.write'), scope: 'issue.write' } as const;

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
