// Checks of objects that are pushed, as by git-fsck(1): what is malformed, or dangerous in a file system, is refused.
// Small faults of old histories (padded modes, missing spaces before dates, bad time zones) are not.
import { decodedName } from '../objects/tree.ts';
import type { StoredObject } from '../packs/formats.ts';

const oid = /^[0-9a-f]{40}$/;
const fileModes = new Set(['100644', '100755', '100664', '120000', '160000', '40000', '040000', '0100644', '0100755']);

/** References of an object to others. Submodules have none in the repository. */
export interface Checked {
  readonly refers: readonly string[];
  /** Blobs that are called `.gitmodules`. */
  readonly modules: readonly string[];
}

/** A fault of an object, with git's id of it. */
export class Fault extends Error {}
const fault = (id: string, text: string): Fault => new Fault(`${id}: ${text}`);

const nothing: Checked = { refers: [], modules: [] };

/** @throws {Fault} */
export function checked({ type, content }: StoredObject): Checked {
  if (type === 'commit') return commit(content);
  if (type === 'tree') return tree(content);
  return type === 'tag' ? tag(content) : nothing;
}

function headOf(content: Buffer): readonly string[] {
  const split = content.indexOf('\n\n');
  const head = content.toString('latin1', 0, split < 0 ? content.length : split);
  if (head.includes('\0')) throw fault('nulInHeader', 'unterminated header: NUL at offset');
  return head.split('\n');
}

function commit(content: Buffer): Checked {
  const lines = headOf(content);
  let at = 0;
  const next = (name: string): string | undefined => {
    const line = lines[at] ?? '';
    if (!line.startsWith(`${name} `)) return undefined;
    at += 1;
    return line.slice(name.length + 1);
  };
  const root = next('tree');
  if (root === undefined) throw fault('missingTree', "invalid format - expected 'tree' line");
  if (!oid.test(root)) throw fault('badTreeSha1', "invalid 'tree' line format - bad sha1");
  const refers = [root];
  for (let parent = next('parent'); parent !== undefined; parent = next('parent')) {
    if (!oid.test(parent)) throw fault('badParentSha1', "invalid 'parent' line format - bad sha1");
    refers.push(parent);
  }
  const author = next('author');
  if (author === undefined) throw fault('missingAuthor', "invalid format - expected 'author' line");
  ident(author);
  if (next('author') !== undefined) throw fault('multipleAuthors', "invalid format - multiple 'author' lines");
  const committer = next('committer');
  if (committer === undefined) throw fault('missingCommitter', "invalid format - expected 'committer' line");
  ident(committer);
  return { refers, modules: [] };
}

/** `Name <email> 1700000000 +0000` */
function ident(line: string): void {
  const open = line.indexOf('<');
  if (open < 0) throw fault('missingEmail', 'invalid author/committer line - missing email');
  if (line.slice(0, open).includes('>')) throw fault('badName', 'invalid author/committer line - bad name');
  const close = line.indexOf('>', open);
  if (close < 0 || line.slice(open + 1, close).includes('<'))
    throw fault('badEmail', 'invalid author/committer line - bad email');
  const date =
    line
      .slice(close + 1)
      .replace(/^ /, '')
      .split(' ', 1)[0] ?? '';
  if (!/^\d+$/.test(date)) throw fault('badDate', 'invalid author/committer line - bad date');
  if (date.length > 18) throw fault('badDateOverflow', 'invalid author/committer line - date causes integer overflow');
}

function tag(content: Buffer): Checked {
  const [object = '', type = '', name = ''] = headOf(content);
  if (!object.startsWith('object ')) throw fault('missingObject', "invalid format - expected 'object' line");
  const target = object.slice('object '.length);
  if (!oid.test(target)) throw fault('badObjectSha1', "invalid 'object' line format - bad sha1");
  if (!/^type (?:commit|tree|blob|tag)$/.test(type)) throw fault('badType', "invalid 'type' value");
  if (!name.startsWith('tag ')) throw fault('missingTagEntry', "invalid format - expected 'tag' line");
  return { refers: [target], modules: [] };
}

function tree(content: Buffer): Checked {
  const refers: string[] = [];
  const modules: string[] = [];
  let before = '';
  const names = new Set<string>();
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const nul = space < 0 ? -1 : content.indexOf(0, space);
    if (nul < 0 || nul + 21 > content.length || space - at > 8) throw fault('badTree', 'cannot be parsed as a tree');
    const mode = content.toString('latin1', at, space);
    const name = content.toString('latin1', space + 1, nul);
    const target = content.toString('hex', nul + 1, nul + 21);
    at = nul + 21;
    if (!fileModes.has(mode)) throw fault('badFilemode', 'contains bad file modes');
    if (/^0{40}$/.test(target)) throw fault('nullSha1', 'contains entries pointing to null sha1');
    nameIsFine(name);
    const key = mode.endsWith('40000') ? `${name}/` : name;
    if (before >= key) throw fault('treeNotSorted', 'not properly sorted');
    if (names.has(name)) throw fault('duplicateEntries', 'contains duplicate file entries');
    names.add(name);
    before = key;
    if (isModules(name)) {
      if (mode === '120000') throw fault('gitmodulesSymlink', '.gitmodules is a symbolic link');
      modules.push(target);
    }
    if (mode !== '160000') refers.push(target);
  }
  return { refers, modules };
}

function nameIsFine(name: string): void {
  if (name === '') throw fault('emptyName', 'contains empty pathname');
  if (name === '.') throw fault('hasDot', "contains '.'");
  if (name === '..') throw fault('hasDotdot', "contains '..'");
  if (name.includes('/')) throw fault('fullPathname', 'contains full pathnames');
  if (isGitFolder(name)) throw fault('hasDotgit', "contains '.git'");
}

/** `.git`, and what file systems of Windows and macOS take for it. */
export function isGitFolder(raw: string): boolean {
  const folded = folds(raw);
  return folded === '.git' || folded === 'git~1';
}

const isModules = (raw: string): boolean => {
  const folded = folds(raw);
  return folded === '.gitmodules' || /^(?:gitmod~[1-4]|gi7eb[0-9a-f]*~\d+)$/.test(folded);
};

/** Without the characters that HFS+ ignores, the streams and the trailing dots and spaces that NTFS ignores. */
function folds(raw: string): string {
  const name = decodedName(raw).replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '');
  const colon = name.indexOf(':');
  let end = colon < 0 ? name.length : colon;
  while (end > 0 && (name[end - 1] === ' ' || name[end - 1] === '.')) end -= 1;
  return name.slice(0, end).toLowerCase();
}

/** Bytes of a `.gitmodules` file that are looked at; a larger one is refused. */
const longestModules = 512 * 1024;

/**
 * Checks a `.gitmodules` file, whose names, urls and paths git gives to commands.
 * @throws {Fault}
 */
export function checkModules({ type, content }: StoredObject): void {
  if (type !== 'blob') throw fault('gitmodulesBlob', 'non-blob found at .gitmodules');
  if (content.length > longestModules) throw fault('gitmodulesLarge', '.gitmodules too large to parse');
  for (const line of content.toString('utf8').split('\n')) {
    const text = line.trim();
    // A setting may follow the header of its section on the same line.
    const end = /^\[submodule\s/i.test(text) ? text.lastIndexOf('"') : -1;
    const name = text.slice(text.indexOf('"') + 1, Math.max(0, end));
    if (name.split(/[\\/]/).includes('..'))
      throw fault('gitmodulesName', `disallowed submodule name: ${name.slice(0, 100)}`);
    const setting = end < 0 ? text : text.slice(end).replace(/^"\]/, '');
    const equals = setting.indexOf('=');
    const what = setting.slice(0, Math.max(0, equals)).trim().toLowerCase();
    const value = setting
      .slice(equals + 1)
      .trim()
      .replace(/^"/, '');
    if (what === 'url' && isUnsafeUrl(value))
      throw fault('gitmodulesUrl', `disallowed submodule url: ${value.slice(0, 100)}`);
    if (what === 'path' && value.startsWith('-'))
      throw fault('gitmodulesPath', `disallowed submodule path: ${value.slice(0, 100)}`);
    if (what === 'update' && value.startsWith('!'))
      throw fault('gitmodulesUpdate', `disallowed submodule update setting: ${value.slice(0, 100)}`);
  }
}

const isUnsafeUrl = (url: string): boolean => url.startsWith('-') || /%0a/i.test(url);
