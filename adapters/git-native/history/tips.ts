// Summaries of the objects that refs point to: commits and annotated tags, read by oid and kept in an LRU cache.
import { clip } from '#core/kernel/clipping';
import { longest } from '#core/repositories/git/clipping';
import type { Oid } from '#core/repositories/git/git-backend';
import type { Tip } from '#core/repositories/git/git-refs';
import { fewFiles } from '../files/few-files.ts';
import { parseSignature, type Commits } from './commits.ts';
import type { Objects } from '../objects/objects.ts';
import { SingleFlightCache } from '../process/single-flight-cache.ts';
import { decoder, own } from '../objects/text.ts';
import type { RepositoryLocation } from '../storage/repositories.ts';
import type { Located } from '../storage/visits.ts';
import { isOid } from '../names.ts';

/** Bytes. A larger tag is not read, and has the kind `other`. */
const largestTag = 1024 * 1024;
/** git-tag(1): a signature is the end of the message. */
const signature = /^-----BEGIN (PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$[^]*/m;
/** Objects read at the same time: their contents are held in memory. */
const atOnce = 500;

export function tips(objects: Objects, commits: Commits): Located<'tips'> {
  /** Weighed by characters. */
  const known = new SingleFlightCache<Tip | undefined>(8_000_000, (tip) => 200 + lengthOf(tip));
  const read = async (location: RepositoryLocation, oid: Oid): Promise<Tip | undefined> => {
    const header = await objects.header(location, oid);
    if (header?.type === 'commit') {
      const commit = await commits.one(location, oid);
      return (
        commit && {
          kind: 'commit',
          subject: own(clip(commit.message.split('\n', 1)[0]?.trimEnd() ?? '', longest.subject)),
          author: commit.author.name,
          committedAt: commit.committer.date,
        }
      );
    }
    if (header?.type !== 'tag') return header && { kind: 'other' };
    const commit = await objects.peel(location, oid);
    if (header.size > largestTag) return { kind: 'other', commit };
    const object = await objects.contents(location, oid);
    return object && { ...parsed(object.content), commit };
  };
  return async (location, oids) => {
    const wanted = [...new Set(oids)].filter(isOid);
    const one = (oid: Oid) => known.get(`${location.cacheKey}:${oid}`, undefined, () => read(location, oid));
    const found = await fewFiles(wanted, one, atOnce);
    return new Map(wanted.flatMap((oid, index) => (found[index] === undefined ? [] : [[oid, found[index]]])));
  };
}

function lengthOf(tip: Tip): number {
  if (tip.kind === 'other') return 0;
  return tip.kind === 'tag' ? tip.message.length : tip.subject.length + tip.author.length;
}

function parsed(content: Buffer): Tip & { readonly kind: 'tag' } {
  const end = content.indexOf('\n\n');
  const lines = content
    .subarray(0, end < 0 ? content.length : end)
    .toString('latin1')
    .split('\n');
  const header = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
  const decode = decoder(header('encoding') ?? 'utf-8');
  const tagger = header('tagger');
  const message =
    end < 0
      ? ''
      : decode(content.subarray(end + 2))
          .replace(signature, '')
          .trim();
  return {
    kind: 'tag',
    target: own(header('object') ?? ''),
    message: own(clip(message.toWellFormed(), longest.message)),
    tagger: tagger === undefined ? undefined : parseSignature(decode(Buffer.from(tagger, 'latin1'))),
  };
}
