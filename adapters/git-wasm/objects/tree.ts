// Reads and writes tree objects: mode, name, NUL and oid of each entry, in git's order.
import { longest } from '#core/repositories/git/clipping';
import { mostEntries, type Oid } from '#core/repositories/git/git-objects';

export interface Entry {
  /** Six digits. */
  readonly mode: string;
  readonly oid: Oid;
  /** Bytes as latin1. */
  readonly name: string;
}

export const folderMode = '040000';
/** The tree without entries, which git knows even if it is not stored. */
export const emptyTree: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Bytes of all names in a listing. */
const mostNameBytes = 2 * 1024 ** 2;
const oidBytes = 20;

/** The entries of a tree, up to its end or its first malformed entry. */
export function* entriesIn(content: Buffer): Generator<Entry> {
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = space < 0 ? -1 : content.indexOf(0, space);
    if (nul < 0 || nul + 1 + oidBytes > content.length) return;
    yield {
      mode: canonicalMode(content.toString('latin1', at, space)),
      name: content.toString('latin1', space + 1, nul),
      oid: content.toString('hex', nul + 1, nul + 1 + oidBytes),
    };
    at = nul + 1 + oidBytes;
  }
}

/** Old histories contain modes such as 100664, which git maps to one of five. */
function canonicalMode(text: string): string {
  if (text === '100644' || text === '100755') return text;
  if (text === '40000') return folderMode;
  const mode = Number.parseInt(text, 8);
  switch (mode & 0o170000) {
    case 0o100000:
      return (mode & 0o100) === 0 ? '100644' : '100755';
    case 0o120000:
      return '120000';
    case 0o040000:
      return folderMode;
    default:
      return '160000';
  }
}

/**
 * An entry by the bytes of its name, or else by its decoded name, in which U+FFFD replaces bytes that are not UTF-8.
 */
export function entryNamed(content: Buffer, name: string): Entry | undefined {
  const raw = Buffer.from(name, 'utf8').toString('latin1');
  let decoded: Entry | undefined;
  const lossy = name.includes('\uFFFD');
  for (const entry of entriesIn(content)) {
    if (entry.name === raw) return entry;
    if (lossy && decoded === undefined && decodedName(entry.name) === name) decoded = entry;
  }
  return decoded;
}

export const decodedName = (raw: string): string => Buffer.from(raw, 'latin1').toString('utf8');

/**
 * The first entries, up to the limits of a listing. `truncated` if entries are left out, including those with a name
 * that is too long.
 */
export function firstEntries(content: Buffer): { readonly entries: readonly Entry[]; readonly truncated: boolean } {
  const entries: Entry[] = [];
  let truncated = false;
  let bytes = 0;
  for (const entry of entriesIn(content)) {
    if (entry.name.length > longest.path) {
      truncated = true;
      continue;
    }
    bytes += entry.name.length;
    if (entries.length === mostEntries || bytes > mostNameBytes) return { entries, truncated: true };
    entries.push(entry);
  }
  return { entries, truncated };
}

/** git sorts by the bytes of the names, and appends a slash to the name of a folder. */
export const sortKey = ({ name, mode }: Pick<Entry, 'name' | 'mode'>): string =>
  mode === folderMode ? `${name}/` : name;

/** The bytes of a tree with these entries, sorted here. */
export function treeContent(entries: readonly Entry[]): Buffer {
  const sorted = [...entries].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, oid }) => [
      Buffer.from(`${mode.replace(/^0/, '')} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  );
}
