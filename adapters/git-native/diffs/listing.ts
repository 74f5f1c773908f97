// Parses the list of files at the start of a diff: raw lines, then counts in the same order.
import { longest } from '#core/repositories/git/clipping';
import { RecordReader } from '../process/records.ts';

export interface ListedFile {
  /** The current path; for a deleted file the former path. Empty if longer than `longest.path`. */
  readonly path: string;
  /** The former path of a renamed file. */
  readonly previousPath: string | undefined;
  readonly oldMode: string;
  readonly newMode: string;
  /** A, D, M, R or T. */
  readonly letter: string;
  additions: number;
  deletions: number;
  isBinary: boolean;
}

/**
 * How many `diff --git` sections a file has. A type change (T, such as a file that became a link) is shown as a
 * deletion and an addition.
 */
export const sectionsOf = ({ letter }: ListedFile): 1 | 2 => (letter === 'T' ? 2 : 1);

/** Bytes: more than the longest returned path needs in any encoding. */
const longestToken = 5 * longest.path;
/**
 * The counts of a rename, which are followed by two separate names. Other counts contain the name, which may end in a
 * tab.
 */
const countsOfRename = /^(?:\d+|-)\t(?:\d+|-)\t$/;
/** Characters of all stored paths together. */
const mostCharacters = 8_000_000;

/** Parser of the output of git-diff-tree(1), "RAW OUTPUT FORMAT" and "OTHER DIFF FORMATS", with -z. */
export class DiffListing {
  /** The first files, up to the limits. */
  readonly files: ListedFile[] = [];
  /** The number of all files, stored or not, and the line counts of all. */
  listed = 0;
  additions = 0;
  deletions = 0;
  ended = false;
  readonly #most: number;
  readonly #tokens = new RecordReader(longestToken);
  /** A line whose names have not all arrived, and the names so far. */
  #open: { readonly line: string; readonly names: string[]; readonly awaited: number } | undefined;
  #characters = 0;
  #counted = 0;

  /** @param most maximum number of stored files. */
  constructor(most: number) {
    this.#most = most;
  }

  /** @returns the bytes after the list, once the list has ended. */
  take(chunk: Buffer): Buffer | undefined {
    this.#tokens.push(chunk);
    for (let token = this.#tokens.next(0); token !== undefined; token = this.#tokens.next(0)) {
      if (token.length === 0 && this.#open === undefined) {
        this.ended = true;
        return this.#tokens.rest();
      }
      this.#token(token.toString('utf8'));
    }
    return undefined;
  }

  #token(token: string): void {
    if (this.#open === undefined) {
      if (token.startsWith(':')) this.#open = { line: token, names: [], awaited: /[RC]\d*$/.test(token) ? 2 : 1 };
      else if (countsOfRename.test(token)) this.#open = { line: token, names: [], awaited: 2 };
      else this.#count(token);
      return;
    }
    const { line, names, awaited } = this.#open;
    names.push(token);
    if (names.length < awaited) return;
    this.#open = undefined;
    if (line.startsWith(':')) this.#list(line, names);
    else this.#count(line);
  }

  #list(line: string, names: readonly string[]): void {
    this.listed += 1;
    if (this.files.length >= this.#most || this.#characters > mostCharacters) return;
    const nameless = names.some((name) => name.length > longest.path);
    const letter = /([A-Z])\d*$/.exec(line)?.[1] ?? 'M';
    const file = {
      path: nameless ? '' : (names.at(-1) ?? ''),
      previousPath: letter === 'R' && !nameless ? names[0] : undefined,
      oldMode: line.slice(1, 7),
      newMode: line.slice(8, 14),
      letter,
      additions: 0,
      deletions: 0,
      isBinary: false,
    };
    this.#characters += file.path.length + (file.previousPath?.length ?? 0);
    this.files.push(file);
  }

  #count(line: string): void {
    const [added = '', removed = ''] = line.split('\t', 2);
    const file = this.files[this.#counted];
    this.#counted += 1;
    const additions = Number.parseInt(added, 10) || 0;
    const deletions = Number.parseInt(removed, 10) || 0;
    this.additions += additions;
    this.deletions += deletions;
    if (file !== undefined) Object.assign(file, { additions, deletions, isBinary: added === '-' });
  }
}
