// Limits of responses with data from git, so that no JSON document of this area exceeds 8 MiB: long texts are clipped
// and long lists are cut.
import { isLonger } from '#core/kernel/characters';
import { fit, jsonBytes } from '#core/kernel/clipping';
import { longest } from '../git/clipping.ts';
import type { BlamedLine, CommitRecord, Difference, FileChange, Signature } from '../git/git-history.ts';
import type { LastCommit, TreeEntry } from '../git/git-objects.ts';

const MiB = 1024 ** 2;

/** The most bytes of JSON for all texts of one kind in a response. */
const most = {
  /** Names and paths of a folder's entries. Each path repeats the path of the folder. */
  entryPaths: 3.5 * MiB,
  subjects: 2 * MiB,
  messages: MiB,
  changedPaths: MiB,
  patches: 1.5 * MiB,
  lines: 3 * MiB,
  /** Names and email addresses of the authors of lines. */
  lineAuthors: 1.25 * MiB,
} as const;
/** The most parents of all commits in a list together, and the number of parents that each commit may always have. */
const [mostParents, leastParents] = [20_000, 16];

/** A list, and whether a part of it was left out. */
export interface Bounded<T> {
  readonly items: readonly T[];
  readonly truncated: boolean;
}

/** The first entries of a folder whose names and paths fit, with their clipped subjects. */
export function boundedEntries<E extends TreeEntry>(
  entries: readonly E[],
  folder: string,
  lastCommits: ReadonlyMap<string, LastCommit>,
): Bounded<{ readonly entry: E; readonly lastCommit: LastCommit | undefined }> {
  const prefix = jsonBytes(folder) + 1;
  let bytes = 0;
  const end = entries.findIndex(({ name }) => {
    bytes += prefix + 2 * jsonBytes(name);
    return bytes > most.entryPaths;
  });
  const shown = (end < 0 ? entries : entries.slice(0, end)).map((entry) => ({
    entry,
    lastCommit: lastCommits.get(entry.name),
  }));
  const subjects = fit(
    shown.map(({ lastCommit }) => lastCommit?.subject ?? ''),
    most.subjects,
  );
  return {
    items: shown.map(({ entry, lastCommit }, index) => ({
      entry,
      lastCommit: lastCommit && { ...lastCommit, subject: subjects[index] ?? '' },
    })),
    truncated: end >= 0,
  };
}

/** The commits of a list. `truncated` if parents of a commit were left out. */
export function boundedCommits(commits: readonly CommitRecord[]): Bounded<CommitRecord> {
  const messages = boundedMessages(commits.map(({ message }) => message));
  const parents = Math.max(leastParents, Math.floor(mostParents / Math.max(1, commits.length)));
  return {
    items: commits.map((commit, index) => ({
      ...commit,
      message: messages[index] ?? '',
      parents: commit.parents.slice(0, parents),
    })),
    truncated: commits.some((commit) => commit.parents.length > parents),
  };
}

/** Clips the messages of a list of commits or tags. */
export const boundedMessages = (messages: readonly string[]): readonly string[] => fit(messages, most.messages);

/** The first files whose paths fit. Patches that do not fit are left out. */
export function boundedDifference(difference: Difference): Difference {
  const files: FileChange[] = [];
  let [paths, patches] = [0, 0];
  for (const file of difference.files) {
    const own = [file.path, file.previousPath ?? ''];
    if (own.some((path) => isLonger(path, longest.path))) continue;
    paths += own.reduce((bytes, path) => bytes + jsonBytes(path), 0);
    if (paths > most.changedPaths) break;
    const { patch, ...unpatched } = file;
    patches += patch === undefined ? 0 : jsonBytes(patch);
    files.push(patch === undefined || patches > most.patches ? unpatched : file);
  }
  return { ...difference, files, truncated: difference.truncated || files.length < difference.files.length };
}

/** All lines of a file, each clipped if necessary. */
export function boundedLines(lines: readonly BlamedLine[]): readonly BlamedLine[] {
  const contents = lines.map(({ content }) => content);
  const names = lines.map(({ author }) => author.name).concat(lines.map(({ author }) => author.email));
  const [told, authors] = [fit(contents, most.lines), fit(names, most.lineAuthors)];
  if (told === contents && authors === names) return lines;
  return lines.map((line, index) => {
    const author: Signature = {
      ...line.author,
      name: authors[index] ?? '',
      email: authors[lines.length + index] ?? '',
    };
    return { ...line, content: told[index] ?? '', author };
  });
}
