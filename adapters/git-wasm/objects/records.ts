// The records of commits and summaries of tags, as callers see them.
import { clip } from '#core/kernel/clipping';
import { trim, trimEnd } from '#core/kernel/trim';
import { longest } from '#core/repositories/git/clipping';
import type { Oid } from '#core/repositories/git/git-backend';
import type { CommitRecord, Signature } from '#core/repositories/git/git-history';
import type { Tip } from '#core/repositories/git/git-refs';
import { largestTag, tagOf } from '#adapters/git-common/objects/tag';
import { inUtf8 } from './encodings.ts';
import { isBlank, parseSignature } from '#adapters/git-common/objects/idents';
import type { ObjectStore } from './object-store.ts';
import { own } from '#adapters/git-common/objects/text';

/** Bytes of headers that are looked at, and of a message, which are more than its longest text needs. */
const longestHead = 256 * 1024;
const messageBytes = 5 * longest.message;

export interface CommitTexts {
  /** Lines of the headers. */
  readonly author: Buffer;
  readonly committer: Buffer;
  readonly encoding: string | undefined;
  readonly parents: readonly Oid[];
  readonly message: Buffer;
}

/** The texts of a commit end at the first NUL, as for git. */
export function commitTexts(bytes: Buffer, longestMessage = messageBytes): CommitTexts {
  const nul = bytes.indexOf(0);
  const content = nul < 0 ? bytes : bytes.subarray(0, nul);
  const split = content.subarray(0, longestHead).indexOf('\n\n');
  const head = content.toString('latin1', 0, split < 0 ? Math.min(content.length, longestHead) : split).split('\n');
  const header = (name: string): string | undefined =>
    head.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  return {
    author: Buffer.from(header('author') ?? '', 'latin1'),
    committer: Buffer.from(header('committer') ?? '', 'latin1'),
    encoding: header('encoding'),
    parents: head.filter((line) => /^parent [0-9a-f]{40}$/.test(line)).map((line) => own(line.slice(7))),
    message: split < 0 ? Buffer.alloc(0) : content.subarray(split + 2, split + 2 + longestMessage),
  };
}

export function recordOf(oid: Oid, content: Buffer): CommitRecord {
  const { author, committer, encoding, parents, message } = commitTexts(content);
  const signed = (line: Buffer): Signature => decodedSignature(line, encoding);
  return {
    oid,
    message: messageOf(inUtf8(message, encoding)),
    author: signed(author),
    committer: signed(committer),
    parents,
  };
}

const decodedSignature = (line: Buffer, encoding: string | undefined): Signature =>
  parseSignature(inUtf8(line, encoding).toString('utf8'));

const messageOf = (bytes: Buffer): string =>
  clip(
    trim(bytes.toString('utf8'), (character) => character === '\n'),
    longest.message,
  );

/** The first line of a message without blanks at its end, clipped. */
export function subjectOf({ message }: Pick<CommitRecord, 'message'>): string {
  const end = message.indexOf('\n');
  return own(clip(trimEnd(end < 0 ? message : message.slice(0, end), isBlank), longest.subject));
}

export function commitRecord(store: ObjectStore, oid: Oid): CommitRecord | undefined {
  const object = store.read(oid);
  return object?.type === 'commit' ? recordOf(oid, object.content) : undefined;
}

export function tipOf(store: ObjectStore, oid: Oid): Tip | undefined {
  const header = store.header(oid);
  if (header?.type === 'commit') {
    const commit = commitRecord(store, oid);
    return (
      commit && {
        kind: 'commit',
        subject: subjectOf(commit),
        author: commit.author.name,
        committedAt: commit.committer.date,
      }
    );
  }
  if (header?.type !== 'tag') return header && { kind: 'other' };
  const commit = store.peel(oid);
  if (header.size > largestTag) return { kind: 'other', commit };
  const object = store.read(oid);
  return object && { ...tagOf(object.content), commit };
}
