// The MCP tools of repositories, which call the same use cases as the routes.
import {
  count,
  cursorArgument,
  flag,
  list,
  listCursor,
  listLimit,
  maybe,
  nextCursor,
  oneOf,
  orNull,
  shape,
  text,
  time,
  tool,
  trim,
  word,
  type Tool,
} from 'hexforge/plugin';
import { readingLimits, visibilities, type CommitRecord, type TreeEntry } from 'hexforge/repositories';
import type { RepositoryUseCases } from '#core/repositories/use-cases';
import { reading, sha } from './shapes.ts';
import { asText, firstLine, fitting } from './tool-texts.ts';

/** A token that may use the MCP endpoint needs no further scope to read what its user can read. */
const tooled = { access: reading.access, scope: null, family: 'repo' } as const;

const longestRef = 255;
const longestPath = 4096;
const ref = () => word().max(longestRef);
const usualRef = () => maybe(ref().description('Branch, tag or commit; default: the default branch'));
const path = () => word().max(longestPath);
/** Models write paths of the root in several ways. */
const inRoot = (given = ''): string =>
  trim(given === '.' || given.startsWith('./') ? given.slice(1) : given, (character) => character === '/');

const truncated = () => flag().description('true: the result is not complete; "note" tells how to go on');
const note = () => maybe(word());
const entryTypes = oneOf('file', 'dir', 'symlink', 'submodule');
const typeOf = (type: TreeEntry['type']) => (type === 'directory' ? ('dir' as const) : type);
const person = shape({ name: text(), email: text(), date: time() });

const nameCursor = (name: string) =>
  listCursor<{ readonly name: string }>(name, {
    write: (item) => item.name,
    read: (after) => (after !== '' && after.length <= longestPath ? { name: after } : undefined),
  });
const branchCursor = nameCursor('list_branches');
const tagCursor = nameCursor('list_tags');
/** The commit where the list began, so that a push does not shift it, and how many commits were listed. */
const commitCursor = listCursor<{ readonly tip: string; readonly skip: number }>('list_commits', {
  write: ({ tip, skip }) => `${tip} ${skip}`,
  read(position) {
    const [, tip, skip] = /^([0-9a-f]{40}) ([1-9][0-9]{0,8})$/.exec(position) ?? [];
    return tip === undefined ? undefined : { tip, skip: Number(skip) };
  },
});

/** One page of a list that is read from a position on. The additional item shows whether there are more. */
const onePage = (limit: number) => ({ page: 1, perPage: limit + 1 }) as const;

const mostParents = 16;
const envelope = ({ oid, message, author, committer, parents }: CommitRecord) => ({
  sha: oid,
  message,
  author: { ...author, date: author.date.toISOString() },
  committed_at: committer.date.toISOString(),
  parents: parents.slice(0, mostParents),
});
const envelopeMembers = {
  sha: sha(),
  message: text(),
  author: person,
  committed_at: time(),
  parents: list(sha()).description(`At most ${mostParents}`),
} as const;

export const repositoryTools = (useCases: RepositoryUseCases): readonly Tool[] => [
  tool({
    ...tooled,
    name: 'repo_info',
    description:
      'Describes the repository: owner, name, description, visibility, default branch and size. Cheap; call it first to learn the default branch. list_tree then shows the files.',
    output: shape({
      owner: word(),
      name: word(),
      description: text(),
      visibility: oneOf(...visibilities),
      default_branch: word(),
      size: count().description('Bytes of its git objects on disk'),
      created_at: time(),
      updated_at: time(),
    }),
    run: async (_call, { granted }) => {
      const { owner, name, description, visibility, defaultBranch, createdAt, updatedAt } = granted.resource;
      return {
        owner,
        name,
        description,
        visibility,
        default_branch: defaultBranch,
        size: await useCases.size(granted),
        created_at: createdAt.toISOString(),
        updated_at: updatedAt.toISOString(),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'list_branches',
    description:
      'Lists the branches of the repository by name, each with its last commit and whether it is the default branch or protected. Use list_tags for releases. Read on with "next_cursor" until it is null.',
    input: shape({ cursor: cursorArgument(), limit: listLimit() }),
    output: shape({
      branches: list(
        shape({
          name: word(),
          sha: sha(),
          is_default: flag(),
          is_protected: flag(),
          commit_message: text().description('Its first line'),
          commit_date: time(),
        }),
      ),
      next_cursor: nextCursor(),
    }),
    run: async (_call, { granted, input: { cursor, limit } }) => {
      const after = branchCursor.position(cursor)?.name;
      const query = { ...onePage(limit), after, includeDivergence: false };
      const { items } = await (await useCases.branches(granted, query)).read();
      const shown = items.slice(0, limit);
      return {
        branches: shown.map(({ name, oid, isDefault, isProtected, subject, committedAt }) => ({
          name,
          sha: oid,
          is_default: isDefault,
          is_protected: isProtected,
          commit_message: subject,
          commit_date: committedAt.toISOString(),
        })),
        next_cursor: branchCursor.next(shown, items.length > limit),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'list_tags',
    description:
      'Lists the tags of the repository by name, each with its commit and the first line of its annotation, if it has one. Tags usually mark releases. Read on with "next_cursor" until it is null.',
    input: shape({ cursor: cursorArgument(), limit: listLimit() }),
    output: shape({
      tags: list(
        shape({
          name: word(),
          sha: sha().description('The commit it leads to'),
          message: orNull(text()).description('The first line; null for a lightweight tag'),
          tagged_at: orNull(time()),
        }),
      ),
      next_cursor: nextCursor(),
    }),
    run: async (_call, { granted, input: { cursor, limit } }) => {
      const query = { ...onePage(limit), after: tagCursor.position(cursor)?.name };
      const { items } = await (await useCases.tags(granted, query)).read();
      const shown = items.slice(0, limit);
      return {
        tags: shown.map(({ name, oid, annotation }) => ({
          name,
          sha: oid,
          message: annotation === undefined ? null : firstLine(annotation.message),
          tagged_at: annotation?.tagger?.date.toISOString() ?? null,
        })),
        next_cursor: tagCursor.next(shown, items.length > limit),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'list_tree',
    description:
      'Lists the files and folders in one folder at a ref, each with the last commit that changed it; with "recursive" everything below it, without commits, which is cheaper than many calls. Start at the root without "path". read_file reads a file of the list.',
    input: shape({
      path: maybe(path().allow('').description('Of a folder; default: the root')),
      ref: usualRef(),
      recursive: flag().strict().default(false).description('Also everything in its folders; default: false'),
    }),
    output: shape({
      path: text(),
      entries: list(
        shape({
          path: word(),
          type: entryTypes,
          size: count().description('In bytes'),
          last_commit_sha: orNull(sha()),
          last_commit_message: orNull(text()),
          last_commit_date: orNull(time()),
        }),
      ),
      truncated: truncated(),
      note: note(),
    }),
    run: async (_call, { granted, input }) => {
      const folder = inRoot(input.path);
      const { ref: at, recursive } = input;
      const { items, truncated: left } = recursive
        ? await useCases.walk(granted, { path: folder, ref: at })
        : await useCases.folder(granted, { path: folder, ref: at });
      const entries = items.map(({ path: full, type, size, lastCommit: commit }) => ({
        path: full,
        type: typeOf(type),
        size,
        last_commit_sha: commit?.oid ?? null,
        last_commit_message: commit?.subject ?? null,
        last_commit_date: commit?.committedAt.toISOString() ?? null,
      }));
      const shown = fitting(entries);
      const cut = left || shown.length < entries.length;
      return {
        path: folder,
        entries: shown,
        truncated: cut,
        ...(cut && {
          note: `The list ends at "${shown.at(-1)?.path}". Send "path" with a folder to see the rest in parts`,
        }),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'read_file',
    description: `Reads a text file at a ref, or a range of its lines. At most ${readingLimits.lines} lines and 256 KiB are returned; read a long file in ranges with "start_line". Find paths with list_tree or search_code. Binary files cannot be read.`,
    input: shape({
      path: path().description('Of a file, from the root'),
      ref: usualRef(),
      start_line: maybe(count().min(1).description('The first line, from 1; default: 1')),
      end_line: maybe(count().min(1).description('The last line, included; default: the end')),
    }),
    output: shape({
      path: word(),
      type: oneOf('file', 'symlink'),
      commit_sha: sha(),
      sha: sha().description('Of the blob'),
      size: count().description('Of the whole file, in bytes'),
      content: text(),
      start_line: count(),
      end_line: count().description('Of the last line in "content"'),
      total_lines: orNull(count()).description('null for a large file that was not read to its end'),
      truncated: truncated(),
      note: note(),
    }),
    run: async (_call, { granted, input }) => {
      const { ref: at, start_line: start, end_line: end } = input;
      const found = await useCases.lines(granted, { path: inRoot(input.path), ref: at, start, end });
      return {
        path: found.path,
        type: found.type,
        commit_sha: found.commit,
        sha: found.sha,
        size: found.size,
        content: asText(found.bytes),
        start_line: found.start,
        end_line: found.end,
        total_lines: found.lines ?? null,
        truncated: found.truncated,
        ...(found.truncated && {
          note: found.cut
            ? `Line ${found.start} is longer than 256 KiB and was cut; go on with "start_line": ${found.end + 1}`
            : `Read on with "start_line": ${found.end + 1}`,
        }),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'list_commits',
    description:
      'Lists the commits of a ref, the newest first; with "path" only those that changed that file or folder. Returns messages and people; show_commit has the changed files of one. Read on with "next_cursor" until it is null.',
    input: shape({
      ref: usualRef(),
      path: maybe(path().allow('').description('Of a file or folder')),
      cursor: cursorArgument(),
      limit: listLimit(),
    }),
    output: shape({ commits: list(shape(envelopeMembers)), next_cursor: nextCursor() }),
    run: async (_call, { granted, input }) => {
      const { limit, cursor } = input;
      const from = commitCursor.position(cursor);
      const only = inRoot(input.path);
      const query = { ref: from?.tip ?? input.ref, path: only === '' ? undefined : only, skip: from?.skip ?? 0 };
      const found = await useCases.commits(granted, { ...query, ...onePage(limit) });
      const { items } = await found.read();
      const shown = items.slice(0, limit);
      const tip = (found.basis as { readonly tip?: string }).tip ?? '';
      return {
        commits: shown.map(envelope),
        next_cursor: commitCursor.next([{ tip, skip: query.skip + shown.length }], items.length > limit),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'show_commit',
    description:
      'Shows one commit: message, people, parents, and for each changed file the numbers of added and deleted lines. Returns no patch: get_file_at_two_refs_diff shows the change of one file, with the parent as "base" and this commit as "head".',
    input: shape({ sha: ref().description('A commit by 4 to 40 digits, a branch or a tag') }),
    output: shape({
      ...envelopeMembers,
      committer: person,
      stats: shape({ additions: count(), deletions: count(), files: count() }),
      files: list(
        shape({
          path: word(),
          previous_path: orNull(word()).description('Of a renamed file'),
          status: oneOf('added', 'modified', 'removed', 'renamed'),
          additions: count(),
          deletions: count(),
          is_binary: flag(),
        }),
      ),
      truncated: truncated(),
      note: note(),
    }),
    run: async (_call, { granted, input }) => {
      const { commit, difference } = await (await useCases.commit(granted, { revision: input.sha })).read();
      const files = difference.files.map(({ path: full, previousPath, status, additions, deletions, isBinary }) => ({
        path: full,
        previous_path: previousPath ?? null,
        status,
        additions,
        deletions,
        is_binary: isBinary,
      }));
      const shown = fitting(files);
      const cut = difference.truncated || shown.length < files.length;
      return {
        ...envelope(commit),
        committer: { ...commit.committer, date: commit.committer.date.toISOString() },
        stats: { additions: difference.additions, deletions: difference.deletions, files: files.length },
        files: shown,
        truncated: cut,
        ...(cut && { note: `Only the first ${shown.length} files are listed; "stats" counts all lines` }),
      };
    },
  }),
  tool({
    ...tooled,
    name: 'get_file_at_two_refs_diff',
    description:
      'Shows how one file differs between two refs, as a unified diff from "base" to "head". Use it after show_commit or list_commits; read_file shows a whole version. An empty "diff" means that the file is the same.',
    input: shape({
      path: path().description('Of a file, from the root'),
      base: ref().description('Branch, tag or commit: the older side'),
      head: ref().description('Branch, tag or commit: the newer side'),
    }),
    output: shape({
      path: word(),
      base_sha: sha(),
      head_sha: sha(),
      diff: text(),
      additions: count(),
      deletions: count(),
      is_binary: flag(),
      truncated: truncated(),
      note: note(),
    }),
    run: async (_call, { granted, input }) => {
      const command = { ...input, path: inRoot(input.path) };
      const { base, head, file } = await useCases.fileDiff(granted, command);
      const omitted = file?.omitted !== undefined;
      return {
        path: command.path,
        base_sha: base,
        head_sha: head,
        diff: file?.sections.map(({ header, hunks }) => header + hunks).join('') ?? '',
        additions: file?.additions ?? 0,
        deletions: file?.deletions ?? 0,
        is_binary: file?.isBinary ?? false,
        truncated: omitted,
        ...(omitted && { note: 'The diff is too large to be shown; read both versions with read_file, in ranges' }),
      };
    },
  }),
];
