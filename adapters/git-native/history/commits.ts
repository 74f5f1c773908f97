// Complete commit records (message, signatures, parents), read by oid through the pool and kept in a single-flight
// cache. Every answer about a commit is made from its record.
import type { Oid } from '#core/repositories/git/git-backend';
import { trim, trimEnd } from '#core/kernel/trim';
import { clip } from '#core/kernel/clipping';
import { longest } from '#core/repositories/git/clipping';
import type { CommitRecord, Signature } from '#core/repositories/git/git-history';
import type { Objects } from '../objects/objects.ts';
import { own } from '#adapters/git-common/objects/text';
import { fewFiles } from '#adapters/git-common/files/few-files';
import { byteStream } from '../process/byte-stream.ts';
import type { Foundation } from '../foundation.ts';
import { isOid } from '#adapters/git-common/names';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { WithParts } from '../with-parts.ts';
import { CommitDecoder, decodedCommits, isDecodedByGit, type DecodedCommit } from './decoded-commits.ts';
import { isBlank, parseSignature, signatureOf } from '#adapters/git-common/objects/idents';

/** Bytes. Of a larger commit only the beginning is read; no header that git writes is longer. */
const readWhole = 256 * 1024;
/** Bytes of a message, which are more than its longest text needs. */
const messageBytes = 5 * longest.message;
/** Commits read at the same time: their contents are held in memory. */
const atOnce = 500;

export class Commits extends WithParts<Foundation & { readonly objects: Objects }> {
  /** Weighed by characters. */
  readonly #known = new SingleFlightCache<CommitRecord | undefined>(8_000_000, weightOf);
  readonly #decoder = new CommitDecoder({ ...this.parts, longest: messageBytes });

  one(location: RepositoryLocation, oid: Oid): Promise<CommitRecord | undefined> {
    return this.#known.get(`${location.cacheKey}:${oid}`, undefined, () => this.#read(location, oid));
  }

  /** Starts to read a record that will be requested soon. */
  prefetch(location: RepositoryLocation, oid: Oid): void {
    // Ignored: a later request gets the error.
    this.one(location, oid).catch(() => undefined);
  }

  /** In the order of `oids`. Oids that are not commits are left out. */
  async all(location: RepositoryLocation, oids: readonly Oid[]): Promise<readonly CommitRecord[]> {
    return (await fewFiles(oids, (oid) => this.one(location, oid), atOnce)).flatMap((record) => record ?? []);
  }

  async #read(location: RepositoryLocation, oid: Oid): Promise<CommitRecord | undefined> {
    const object = isOid(oid) ? await this.parts.objects.small(location, oid, readWhole) : undefined;
    if (object?.type !== 'commit') return undefined;
    const { content } = object;
    const parsed = parsedCommit(content ?? (await this.#beginning(location, oid)));
    if (!isDecodedByGit(parsed.encoding)) return recordOf(oid, parsed);
    const decoded = await (content === undefined
      ? this.#decodedBeginning(location, oid)
      : this.#decoder.of(location, oid));
    return decoded && decodedRecord(oid, parsed, decoded);
  }

  async #decodedBeginning(location: RepositoryLocation, oid: Oid): Promise<DecodedCommit | undefined> {
    const { processes, deadlineMs } = this.parts;
    const reading = { longest: messageBytes, most: readWhole, deadlineMs };
    for await (const [, commit] of decodedCommits(processes, location, [oid], reading)) return commit;
    return undefined;
  }

  async #beginning(location: RepositoryLocation, oid: Oid): Promise<Buffer> {
    const { processes, deadlineMs } = this.parts;
    const process = await processes.startIn(location, ['cat-file', 'commit', oid], { input: '', deadlineMs });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of byteStream(process)) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= readWhole) break;
    }
    return Buffer.concat(chunks).subarray(0, readWhole);
  }
}

function weightOf({ message, author, committer, parents }: CommitRecord): number {
  return [author, committer].reduce(
    (weight, { name, email }) => weight + name.length + email.length,
    300 + message.length + 40 * parents.length,
  );
}

/** A commit before its texts are decoded. */
interface ParsedCommit {
  /** Lines of the headers, bytes as latin1. */
  readonly author: string;
  readonly committer: string;
  readonly encoding: string | undefined;
  readonly parents: readonly Oid[];
  readonly message: Buffer;
}

/** The texts of a commit end at the first NUL, as for git. */
function parsedCommit(bytes: Buffer): ParsedCommit {
  const nul = bytes.indexOf(0);
  const content = nul < 0 ? bytes : bytes.subarray(0, nul);
  const split = content.indexOf('\n\n');
  const lines = content.toString('latin1', 0, split < 0 ? content.length : split).split('\n');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  return {
    author: header('author') ?? '',
    committer: header('committer') ?? '',
    encoding: header('encoding'),
    // Continuation lines of other headers begin with a space, so they do not match.
    parents: lines
      .filter((line) => /^parent [0-9a-f]{40}$/.test(line))
      .map((line) => own(line.slice('parent '.length))),
    message: split < 0 ? Buffer.alloc(0) : content.subarray(split + 2, split + 2 + messageBytes),
  };
}

/** The record of a commit in UTF-8. */
export const parseCommitRecord = (oid: Oid, content: Buffer): CommitRecord => recordOf(oid, parsedCommit(content));

function recordOf(oid: Oid, { author, committer, parents, message }: ParsedCommit): CommitRecord {
  const signature = (line: string): Signature => parseSignature(Buffer.from(line, 'latin1').toString('utf8'));
  return { oid, message: messageOf(message), author: signature(author), committer: signature(committer), parents };
}

function decodedRecord(oid: Oid, { parents }: ParsedCommit, { message, ...decoded }: DecodedCommit): CommitRecord {
  const signature = ({ name, email, seconds }: DecodedCommit['author']): Signature =>
    signatureOf(name.toString('utf8'), email.toString('utf8'), seconds);
  return {
    oid,
    message: messageOf(message),
    author: signature(decoded.author),
    committer: signature(decoded.committer),
    parents,
  };
}

const messageOf = (bytes: Buffer): string =>
  clip(
    trim(bytes.toString('utf8'), (character) => character === '\n'),
    longest.message,
  );

/** The first line of a message without blanks at its end, clipped. */
export function subjectOf({ message }: CommitRecord): string {
  const end = message.indexOf('\n');
  return own(clip(trimEnd(end < 0 ? message : message.slice(0, end), isBlank), longest.subject));
}
