// The MCP tools of issues, which call the same use cases as the routes.
import {
  count,
  list,
  maybe,
  oneOf,
  orNull,
  presenter,
  shape,
  time,
  tool,
  uuid,
  uuidPattern,
  word,
  type Tool,
  ValidationFailed,
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

/**
 * The opaque cursor of a tool's list, which marks where the next call continues.
 * @template P The position of an item in the order of the list.
 * @param read Parses the text of `write`; returns undefined for any other text.
 */
const cursor = <P>(
  tool: string,
  { write, read }: { readonly write: (item: P) => string; readonly read: (text: string) => P | undefined },
) => ({
  /** A cursor after the last of the items; null if there are no more. */
  next(items: readonly P[], more: boolean): string | null {
    const last = items.at(-1);
    return more && last !== undefined ? Buffer.from(`${tool} ${write(last)}`).toString('base64url') : null;
  },
  /** The position in a cursor; undefined without one. @throws {ValidationFailed} if this tool did not make it. */
  position(given: string | undefined): P | undefined {
    if (given === undefined) return undefined;
    const text = Buffer.from(given, 'base64url').toString();
    const position = text.startsWith(`${tool} `) ? read(text.slice(tool.length + 1)) : undefined;
    if (position !== undefined) return position;
    throw new ValidationFailed(`The cursor is none that ${tool} gave`, {
      detail: 'Leave "cursor" out to begin anew, or send the "next_cursor" of the answer before',
    });
  },
});

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

/** The `limit` of every tool that returns a list. */
const limit = () => count().min(1).max(100).default(30).description('1 to 100; default 30');

const cursorText = () => maybe(word().max(100).description('"next_cursor" of the answer before'));

const issueCursor = cursor<Pick<IssueView, 'number'>>('list_issues', {
  write: ({ number }) => String(number),
  read: (text) => (/^[0-9]{1,10}$/.test(text) && Number(text) <= lastNumber ? { number: Number(text) } : undefined),
});

const commentCursor = cursor<Pick<CommentView, 'createdAt' | 'id'>>('list_comments', {
  write: ({ createdAt, id }) => `${createdAt.getTime()} ${id}`,
  read(text) {
    // A number of up to 14 digits is a valid time in every database.
    const [, milliseconds, id = ''] = /^([0-9]{1,14}) (\S{36})$/.exec(text) ?? [];
    return uuidPattern.test(id) ? { createdAt: new Date(Number(milliseconds)), id } : undefined;
  },
});

const issueNumber = () => count().min(1).max(lastNumber).description('As list_issues and search_issues tell it');

export const issueTools = ({ listPiece, fetch, search, comments }: IssueUseCases): readonly Tool[] => [
  tool({
    ...reading,
    name: 'list_issues',
    description:
      'Lists the issues of the repository, the newest first; by state and by labels where they are given. Read on with "next_cursor" until it is null.',
    input: shape({
      state: maybe(oneOf(...issueStates, 'all').description('Default: all')),
      labels: maybe(
        list(word().max(64)).max(issueBounds.labels).description('Names, in any case; an issue has them all'),
      ),
      cursor: cursorText(),
      limit: limit(),
    }),
    output: shape({ issues: list(summaryJson), next_cursor: orNull(word()) }),
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
    ...reading,
    name: 'read_issue',
    description:
      'Reads one issue of the repository by its number, with its description; list_comments has its comments.',
    input: shape({ number: issueNumber() }),
    output: issueJson,
    run: async (_call, { granted, input: { number } }) =>
      presentIssue(await fetch(granted, { number: String(number) })),
  }),
  tool({
    ...reading,
    name: 'list_comments',
    description:
      'Lists the comments on one issue of the repository, the oldest first. Read on with "next_cursor" until it is null.',
    input: shape({ number: issueNumber(), cursor: cursorText(), limit: limit() }),
    output: shape({ comments: list(commentJson), next_cursor: orNull(word()) }),
    run: async (_call, { granted, input: { number, cursor, limit } }) => {
      // Reads one more than requested, to find out whether there are more.
      const page = { page: 1, perPage: limit + 1 };
      const after = commentCursor.position(cursor);
      const read = await comments.list(granted, { number: String(number), after, page });
      const shown = read.slice(0, limit);
      return { comments: shown.map(presentComment), next_cursor: commentCursor.next(shown, read.length > limit) };
    },
  }),
  tool({
    ...reading,
    name: 'search_issues',
    description:
      'Searches the issues of the repository by words of title and description, the best match first; titles that are spelled nearly so where no issue has the words. Quotes keep words together, "or" and "-word" are understood.',
    input: shape({ query: word().max(searchBounds.query), limit: limit() }),
    output: shape({ issues: list(hitJson) }),
    run: async (_call, { granted, input: { query, limit } }) => {
      const { hits } = await search(granted, { q: query, limit });
      return { issues: hits.map((hit) => ({ ...summary(hit), rank: hit.rank })) };
    },
  }),
];
