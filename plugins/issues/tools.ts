// The MCP tools of issues, which call the same use cases as the routes.
import {
  count,
  cursorArgument,
  list,
  listCursor,
  listLimit,
  maybe,
  nextCursor,
  NotFound,
  oneOf,
  presenter,
  shape,
  time,
  tool,
  uuid,
  uuidPattern,
  word,
  type Tool,
} from 'hexforge/plugin';
import {
  issueBounds,
  issueStates,
  issueStatuses,
  priorities,
  searchBounds,
  type CommentView,
  type IssueView,
} from 'hexforge/issues';
import { lastNumber } from 'hexforge/repositories';
import type { IssueUseCases } from '#core/issues/use-cases';
import { commentJson, presentComment } from './comments/schemas.ts';
import { presentIssue } from './issues/present.ts';
import { issueJson } from './issues/schemas.ts';
import { reading } from './params.ts';
import { rank } from './search/schemas.ts';

/** The members that a model needs to choose among issues. The tool `read_issue` returns the whole issue. */
const members = {
  id: uuid(),
  number: count(),
  title: word(),
  state: oneOf(...issueStates),
  issue_status: oneOf(...issueStatuses),
  priority: oneOf(...priorities),
  type: word(),
  labels: list(word()),
  author: word(),
  assignees: list(word()),
  created_at: time(),
  updated_at: time(),
};
const summaryJson = shape(members);
const hitJson = shape({ ...members, rank: rank() });

const presentSummary = presenter(summaryJson, { issue_status: 'status' });
const summary = (issue: IssueView) =>
  presentSummary({
    ...issue,
    type: issue.type.name,
    labels: issue.labels.map(({ name }) => name),
    author: issue.author.username,
    assignees: issue.assignees.map(({ username }) => username),
  });

const issueCursor = listCursor<Pick<IssueView, 'number'>>('list_issues', {
  write: ({ number }) => String(number),
  read: (text) => (/^[0-9]{1,10}$/.test(text) && Number(text) <= lastNumber ? { number: Number(text) } : undefined),
});

const commentCursor = listCursor<Pick<CommentView, 'createdAt' | 'id'>>('list_comments', {
  write: ({ createdAt, id }) => `${createdAt.getTime()} ${id}`,
  read(text) {
    // A number of up to 14 digits is a valid time in every database.
    const [, milliseconds, id = ''] = /^([0-9]{1,14}) (\S{36})$/.exec(text) ?? [];
    return uuidPattern.test(id) ? { createdAt: new Date(Number(milliseconds)), id } : undefined;
  },
});

/** The model learns how to find an issue that exists. */
const ofIssue = async <T>(number: number, reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    throw error instanceof NotFound
      ? new NotFound(`There is no issue ${number}`, { detail: 'list_issues and search_issues tell the numbers' })
      : error;
  });

const issueNumber = () => count().min(1).max(lastNumber).description('As list_issues and search_issues tell it');

/** A token that may use the MCP endpoint needs no scope of issues beside that. */
const tooled = { access: reading.access, scope: null } as const;

export const issueTools = ({ listPiece, fetch, search, comments }: IssueUseCases): readonly Tool[] => [
  tool({
    ...tooled,
    name: 'list_issues',
    description:
      'Lists the issues of the repository, the newest first, optionally by state and labels. Returns titles and states, not descriptions: read_issue has those. Use search_issues to find issues by words. Read on with "next_cursor" until it is null.',
    input: shape({
      state: maybe(oneOf(...issueStates, 'all').description('Default: all')),
      labels: maybe(
        list(word().max(64)).max(issueBounds.labels).description('Names, in any case; an issue has them all'),
      ),
      cursor: cursorArgument(),
      limit: listLimit(),
    }),
    output: shape({ issues: list(summaryJson), next_cursor: nextCursor() }),
    run: async (_call, { granted, input: { state, labels, cursor, limit } }) => {
      const { issues, more } = await listPiece(granted, {
        state: state === 'all' ? undefined : state,
        labels,
        beyond: issueCursor.position(cursor)?.number,
        limit,
      });
      return { issues: issues.map(summary), next_cursor: issueCursor.next(issues, more) };
    },
  }),
  tool({
    ...tooled,
    name: 'read_issue',
    description:
      'Reads one issue of the repository by its number, with its description, labels, people and links to its parent. Find numbers with list_issues or search_issues. The discussion is not included: list_comments has it.',
    input: shape({ number: issueNumber() }),
    output: issueJson,
    run: async (_call, { granted, input: { number } }) =>
      presentIssue(await ofIssue(number, fetch(granted, { number: String(number) }))),
  }),
  tool({
    ...tooled,
    name: 'list_comments',
    description:
      'Lists the comments on one issue of the repository, the oldest first, without those that the caller may not see. Read read_issue first for the question. Read on with "next_cursor" until it is null.',
    input: shape({ number: issueNumber(), cursor: cursorArgument(), limit: listLimit() }),
    output: shape({ comments: list(commentJson), next_cursor: nextCursor() }),
    run: async (_call, { granted, input: { number, cursor, limit } }) => {
      // Reads one more than requested, to find out whether there are more.
      const page = { page: 1, perPage: limit + 1 };
      const after = commentCursor.position(cursor);
      const read = await ofIssue(number, comments.list(granted, { number: String(number), after, page }));
      const shown = read.slice(0, limit);
      return { comments: shown.map(presentComment), next_cursor: commentCursor.next(shown, read.length > limit) };
    },
  }),
  tool({
    ...tooled,
    name: 'search_issues',
    description:
      'Searches the issues of the repository by words of title and description, the best match first; titles that are spelled nearly so where no issue has the words. Quotes keep words together, "or" and "-word" are understood. Use list_issues to go through all of them, and read_issue for the text of a hit.',
    input: shape({ query: word().max(searchBounds.query), limit: listLimit() }),
    output: shape({ issues: list(hitJson) }),
    run: async (_call, { granted, input: { query, limit } }) => {
      const { hits } = await search(granted, { q: query, limit });
      return { issues: hits.map((hit) => ({ ...summary(hit), rank: hit.rank })) };
    },
  }),
];
