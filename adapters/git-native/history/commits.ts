// Complete commit records (message, signatures, parents), read by oid through the pool and kept in a single-flight
// cache.
import type { Oid } from '#core/repositories/git/git-backend';
import { trim } from '#core/kernel/trim';
import { clip } from '#core/kernel/clipping';
import { longest } from '#core/repositories/git/clipping';
import type { CommitRecord, Signature } from '#core/repositories/git/git-history';
import type { Objects } from '../objects/objects.ts';
import { decoder, own } from '../objects/text.ts';
import { byteStream } from '../process/byte-stream.ts';
import type { Foundation } from '../foundation.ts';
import { isOid } from '../names.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { WithParts } from '../with-parts.ts';

/** Bytes. Of a larger commit only the beginning is read; no header that git writes is longer. */
const readWhole = 256 * 1024;
const latest = Date.UTC(9999, 11, 31, 23, 59, 59);

export class Commits extends WithParts<Foundation & { readonly objects: Objects }> {
  /** Weighed by characters. */
  readonly #known = new SingleFlightCache<CommitRecord | undefined>(8_000_000, weightOf);

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
    return (await Promise.all(oids.map((oid) => this.one(location, oid)))).flatMap((record) => record ?? []);
  }

  async #read(location: RepositoryLocation, oid: Oid): Promise<CommitRecord | undefined> {
    const object = isOid(oid) ? await this.parts.objects.small(location, oid, readWhole) : undefined;
    if (object?.type !== 'commit') return undefined;
    return parseCommitRecord(oid, object.content ?? (await this.#beginning(location, oid)));
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

export function parseCommitRecord(oid: Oid, content: Buffer): CommitRecord {
  const split = content.indexOf('\n\n');
  const head = content.subarray(0, split < 0 ? content.length : split);
  const lines = head.toString('latin1').split('\n');
  const decode = decoder(lines.find((line) => line.startsWith('encoding '))?.slice('encoding '.length) ?? 'utf-8');
  const signature = (role: string): Signature => {
    const line = lines.find((found) => found.startsWith(`${role} `)) ?? '';
    return parseSignature(decode(Buffer.from(line.slice(role.length + 1), 'latin1')));
  };
  const message =
    split < 0
      ? ''
      : trim(decode(content.subarray(split + 2, split + 2 + 5 * longest.message)), (character) => character === '\n');
  return {
    oid,
    message: clip(message.toWellFormed(), longest.message),
    author: signature('author'),
    committer: signature('committer'),
    // Continuation lines of other headers begin with a space, so they do not match.
    parents: lines
      .filter((line) => /^parent [0-9a-f]{40}$/.test(line))
      .map((line) => own(line.slice('parent '.length))),
  };
}

/**
 * Parses `Name <email> 1700000000 +0000` as git does: the email is between the first `<` and the next `>`, and the date
 * follows the last `>`.
 */
export function parseSignature(text: string): Signature {
  const from = text.indexOf('<');
  const to = text.indexOf('>', from);
  const whole = from >= 0 && to >= 0;
  const name = own(clip((whole ? text.slice(0, from) : text).trim(), longest.name));
  if (!whole) return { name, email: '', date: new Date(0) };
  return {
    name,
    email: own(clip(text.slice(from + 1, to).trim(), longest.email)),
    date: dateOf(text.slice(text.lastIndexOf('>') + 1)),
  };
}

/**
 * A date from the seconds since 1970 at the beginning of the text; 1970 without a number, at most the end of year 9999.
 */
export function dateOf(text: string): Date {
  const seconds = Number(/^\s*(\d+)/.exec(text)?.[1] ?? 0);
  return new Date(Math.min(seconds * 1000, latest));
}
