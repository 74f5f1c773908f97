// The list of files that a diff begins with: raw lines, then counts in the same order.
import type { Buffer } from 'node:buffer';
import { longest } from '#core/repositories/clipping';
import { RecordReader } from '../process/records.ts';

export interface ListedFile {
  /** Where it is now; of a deleted one, where it was. Empty where it is too long to be told. */
  readonly path: string;
  /** Of a renamed one. */
  readonly previousPath: string | undefined;
  readonly oldMode: string;
  readonly newMode: string;
  /** A, D, M, R or T. */
  readonly letter: string;
  additions: number;
  deletions: number;
  isBinary: boolean;
}

/** How many `diff --git` a file has: one that became a link, or the like, is shown as one deleted and one added. */
export const sectionsOf = ({ letter }: ListedFile): 1 | 2 => (letter === 'T' ? 2 : 1);

/** Bytes: more than the longest path that is told, whatever its characters take. */
const longestToken = 4 * longest.path;
/** Counts whose two names follow by themselves; those of a file have its name, which may end in a tab. */
const countsOfRename = /^(?:\d+|-)\t(?:\d+|-)\t$/;
/** Characters of all paths that are held. */
const mostCharacters = 8_000_000;

/** git-diff-tree(1), "RAW OUTPUT FORMAT" and "OTHER DIFF FORMATS", with -z. */
export class DiffListing {
  /** As many of the first as are held. */
  readonly files: ListedFile[] = [];
  /** How many there are in all, and the lines of all. */
  listed = 0;
  additions = 0;
  deletions = 0;
  ended = false;
  readonly #most: number;
  readonly #tokens = new RecordReader(longestToken);
  /** The line whose names are still to come, and those that came. */
  #open: { readonly line: string; readonly names: string[]; readonly awaited: number } | undefined;
  #characters = 0;
  #counted = 0;

  /** @param most files that are held. */
  constructor(most: number) {
    this.#most = most;
  }

  /** @returns what comes after the list, when that has ended. */
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
