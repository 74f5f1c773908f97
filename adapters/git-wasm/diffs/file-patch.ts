// The patch of one file as `git diff -M --full-index` prints it: its header and hunks.
import { zeroOid, type DiffAlgorithm, type Oid } from '#core/repositories/git/git-backend';
import type { ObjectStore } from '../objects/object-store.ts';
import { hunksOf } from './lines/hunks.ts';
import { lineDiff } from './lines/line-diff.ts';
import { wholeScore } from './similarity.ts';
import { noMode, type FilePair } from './tree-diff.ts';

/** Larger files are binary, as with git's `core.bigFileThreshold`. */
const largestText = 16 * 1024 ** 2;
/** Bytes in which a NUL makes a file binary. */
const lookedAt = 8000;
const moduleMode = '160000';

/** One part that begins with `diff --git`. */
export interface FileSection {
  readonly header: string;
  readonly hunks: Buffer;
  readonly isBinary: boolean;
  readonly additions: number;
  readonly deletions: number;
  /** The oid of the file after the change. */
  readonly newOid: Oid;
}

/** A type change, such as to a link, is a deletion and an addition. */
export const isTypeChange = ({ oldMode, newMode }: FilePair): boolean =>
  oldMode !== noMode && newMode !== noMode && oldMode.slice(0, 2) !== newMode.slice(0, 2);

export function sectionsOf(store: ObjectStore, pair: FilePair, algorithm: DiffAlgorithm): readonly FileSection[] {
  if (!isTypeChange(pair)) return [sectionOf(store, pair, algorithm)];
  const gone = { ...pair, newMode: noMode, newOid: zeroOid };
  const made = { ...pair, oldMode: noMode, oldOid: zeroOid };
  return [sectionOf(store, gone, algorithm), sectionOf(store, made, algorithm)];
}

function sectionOf(store: ObjectStore, pair: FilePair, algorithm: DiffAlgorithm): FileSection {
  const { oldOid, newOid } = pair;
  const lines = headerLines(pair);
  const none = { hunks: Buffer.alloc(0), isBinary: false, additions: 0, deletions: 0, newOid };
  if (oldOid === newOid) {
    const content = contentOf(store, pair.newMode, newOid);
    return { header: lines.join(''), ...none, isBinary: content === undefined || isBinary(content) };
  }
  const [old, now] = [contentOf(store, pair.oldMode, oldOid), contentOf(store, pair.newMode, newOid)];
  const [from, to] = namesOf(pair);
  if (old === undefined || now === undefined || isBinary(old) || isBinary(now)) {
    lines.push(`Binary files ${from} and ${to} differ\n`);
    return { header: lines.join(''), ...none, isBinary: true };
  }
  const diff = lineDiff(old, now, algorithm, store.check);
  if (diff.changes.length === 0) return { header: lines.join(''), ...none };
  lines.push(
    `--- ${from}${tabAfter(pair.oldMode, pair.oldPath)}\n`,
    `+++ ${to}${tabAfter(pair.newMode, pair.newPath)}\n`,
  );
  const sum = (key: 'added' | 'removed'): number => diff.changes.reduce((count, change) => count + change[key], 0);
  return {
    header: lines.join(''),
    hunks: hunksOf(diff),
    isBinary: false,
    additions: sum('added'),
    deletions: sum('removed'),
    newOid,
  };
}

/** Of a submodule, a sentence; undefined for a file that is too large to be text. */
function contentOf(store: ObjectStore, mode: string, oid: Oid): Buffer | undefined {
  if (mode === noMode) return Buffer.alloc(0);
  if (mode === moduleMode) return Buffer.from(`Subproject commit ${oid}\n`);
  if ((store.header(oid)?.size ?? 0) > largestText) return undefined;
  return store.read(oid)?.content;
}

const isBinary = (content: Buffer): boolean => content.subarray(0, lookedAt).includes(0);

function headerLines(pair: FilePair): string[] {
  const { oldPath, newPath, oldMode, newMode, oldOid, newOid, score } = pair;
  const lines = [`diff --git ${quoted(`a/${oldPath}`)} ${quoted(`b/${newPath}`)}\n`];
  if (oldMode === noMode) lines.push(`new file mode ${newMode}\n`);
  else if (newMode === noMode) lines.push(`deleted file mode ${oldMode}\n`);
  else if (oldMode !== newMode) lines.push(`old mode ${oldMode}\n`, `new mode ${newMode}\n`);
  if (score !== undefined)
    lines.push(
      `similarity index ${Math.floor((score * 100) / wholeScore)}%\n`,
      `rename from ${quoted(oldPath)}\n`,
      `rename to ${quoted(newPath)}\n`,
    );
  if (oldOid !== newOid) lines.push(`index ${oldOid}..${newOid}${oldMode === newMode ? ` ${newMode}` : ''}\n`);
  return lines;
}

function namesOf({ oldPath, newPath, oldMode, newMode }: FilePair): readonly [string, string] {
  return [
    oldMode === noMode ? '/dev/null' : quoted(`a/${oldPath}`),
    newMode === noMode ? '/dev/null' : quoted(`b/${newPath}`),
  ];
}

/** git ends a name with a tab if it contains a space. */
const tabAfter = (mode: string, path: string): string => (mode !== noMode && path.includes(' ') ? '\t' : '');

const escapes: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};

/** A path (bytes as latin1) as git prints it with `core.quotePath`. */
function quoted(path: string): string {
  let text = '';
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at);
    text += escapes[code] ?? (code < 0x20 || code >= 0x7f ? `\\${code.toString(8).padStart(3, '0')}` : path.charAt(at));
  }
  return text === path ? path : `"${text}"`;
}
